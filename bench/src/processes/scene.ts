import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase, startPostgres } from '@evenkeel/services';
import { Program } from '@evenkeel/services/programs';

type Settings = Record<string, string>;

const ENDINGS = ['SIGINT', 'SIGTERM'] as const;
/** A worker has only an internal address, and `npm start` a line for people. */
const READY = /^(?:\{"ready":true.*?"(?:url|internalUrl)":"([^"]*)"|Evenkeel runs at (\S+)$)/m;
/** Ports that nobody has, and more requests of one address than the load reaches. */
const SETTINGS = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0', RATE_LIMIT_SCALE: '1000000' };

/** A server on a database of its own, or what stands beside it. */
export interface Running {
  program: Program;
  url: string;
  /** From its start until it was ready. */
  seconds: number;
}

/** The folder, the database server and the processes of a stage. Nothing of it outlives the stage, or its interruption. */
export class Scene implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
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

  /** An empty one, on one server with fsync. @returns its address */
  async database(name: string): Promise<string> {
    this.postgres ??= startPostgres({ dataDir: join(this.folder, 'postgres') }).then((server) => {
      this.closeLater(() => server.stop());
      return server;
    });
    return ensureDatabase((await this.postgres).url, name);
  }

  /** A program of a checkout, from its source as `npm start` runs the product. */
  program(entry: string, env: Settings, checkout?: string): Promise<Running> {
    return this.ready(Program.start(entry, { ...SETTINGS, ...env }, [], checkout));
  }

  /** The same, started twice, as people do: the first start compiles when sources have changed, and makes the database. */
  async startedAgain(entry: string, env: Settings, checkout?: string) {
    const { program, seconds: firstSeconds } = await this.program(entry, env, checkout);
    await program.stop();
    return { ...(await this.program(entry, env, checkout)), firstSeconds };
  }

  /** A program that ends by itself. @throws Error with its output when it fails */
  async command(entry: string, env: Settings, checkout?: string): Promise<void> {
    const program = Program.start(entry, { ...SETTINGS, ...env }, [], checkout);
    const { code } = await program.exit;
    if (code !== 0) throw new Error(`${entry} failed:\n${program.output.slice(-2_000)}`);
  }

  /** A program of the run, from its source. */
  script(entry: string, ...args: string[]): Promise<Running> {
    return this.ready(Program.start(entry, {}, args));
  }

  private async ready(program: Program): Promise<Running> {
    const startedMs = performance.now();
    this.closeLater(() => program.stop());
    const [, service, product] = await program.prints(READY);
    return { program, url: (service ?? product)!, seconds: (performance.now() - startedMs) / 1_000 };
  }
}

/** Resident memory of a program; NaN where there is no /proc. */
export function residentMb({ program }: Running): number {
  const file = `/proc/${program.pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}
