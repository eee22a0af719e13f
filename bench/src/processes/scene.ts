import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase, startPostgres } from '@evenkeel/services';
import { Child, type ChildOptions } from './child';

export const ROOT = join(__dirname, '../../..');
/** The program of `npm start`, compiled into one file, which later starts find. */
export const START = 'tools/services/programs/start.js';
/** The start of PostgreSQL needs some of them. */
const SYSTEM = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir() };

const ENDINGS = ['SIGINT', 'SIGTERM'] as const;

/** A server on a database of its own, or what stands beside it. */
export interface Running {
  child: Child;
  url: string;
}

/** The folder, the database server and the processes of a stage. Nothing of it outlives the stage, or its interruption. */
export class Scene implements AsyncDisposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  private readonly closers: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];
  private postgres?: Promise<{ url: string }>;
  private readonly interrupted = () => void this[Symbol.asyncDispose]().finally(() => process.exit(130));

  constructor() {
    // Where this process is root, PostgreSQL runs as another user, who must be able to enter.
    chmodSync(this.folder, 0o711);
    for (const signal of ENDINGS) process.once(signal, this.interrupted);
  }

  /** In the opposite order; one that fails does not keep the others open. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of ENDINGS) process.off(signal, this.interrupted);
    for (let close = this.closers.pop(); close; close = this.closers.pop()) {
      await Promise.resolve(close()).catch((error: Error) => console.error(error.message));
    }
  }

  closeLater(close: () => unknown): void {
    this.closers.push(close);
  }

  /** Of a folder that is not there yet. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** An empty one, on one server with fsync. @returns its address */
  async database(name: string): Promise<string> {
    this.postgres ??= startPostgres({ dataDir: this.path('postgres') }).then((server) => {
      this.closeLater(() => server.stop());
      return server;
    });
    return ensureDatabase((await this.postgres).url, name);
  }

  /** A program of a checkout, compiled as `npm start` compiles the product. */
  async program(entry: string, env: Record<string, string>, checkout = ROOT): Promise<Running> {
    return this.started(this.spawned(entry, env, checkout));
  }

  /** The same, started twice: the first start compiles when sources have changed, and keeps the compilers in memory. */
  async startedAgain(entry: string, env: Record<string, string>, checkout = ROOT): Promise<Running> {
    const first = await this.program(entry, env, checkout);
    await first.child.stop();
    return this.program(entry, env, checkout);
  }

  /** A program that ends by itself. @throws Error with its output when it fails */
  async command(entry: string, env: Record<string, string>, checkout = ROOT): Promise<void> {
    await this.spawned(entry, env, checkout).ended();
  }

  /** A program of the run. */
  async script(script: string, options: Omit<ChildOptions, 'folder'> = {}): Promise<Running> {
    return this.started(Child.spawn(script, { folder: this.folder, ...options }));
  }

  private spawned(entry: string, env: Record<string, string>, cwd: string): Child {
    const options = { args: [entry], env: { ...SYSTEM, ...env }, cwd, isJavaScript: true };
    return Child.spawn(join(cwd, START), { folder: this.folder, ...options });
  }

  private async started(child: Child): Promise<Running> {
    this.closeLater(() => child.stop());
    return { child, url: await child.ready() };
  }
}
