import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@evenkeel/services';
import { Child, type ChildOptions } from './child';

/** Where a part of the run takes place: a folder, a database, processes. Nothing of it outlives the part, or Ctrl-C. */
export abstract class Scene {
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  private readonly closers: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];

  /** In the opposite order; one that fails does not keep the others open. */
  async close(): Promise<void> {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) {
      await Promise.resolve(close()).catch((error: Error) => console.error(error.message));
    }
  }

  protected closeLater(close: () => unknown): void {
    this.closers.push(close);
  }

  /** What is open already is closed when the rest cannot be opened. */
  protected async opened(open: () => Promise<void>): Promise<this> {
    process.once('SIGINT', () => void this.close().finally(() => process.exit(130)));
    try {
      await open();
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** With fsync, as in production. @returns the address of the server */
  protected async startPostgres(): Promise<string> {
    const server = await startPostgres({ dataDir: this.folderOfDatabase('postgres') });
    this.closeLater(() => server.stop());
    return server.url;
  }

  /** Not there yet. */
  protected folderOfDatabase(name: string): string {
    // Where this process is root, the server is another user, who must be able to enter.
    chmodSync(this.folder, 0o711);
    return join(this.folder, name);
  }

  /** A program that ends by itself, as it was built. @throws Error with what it said when it failed */
  protected async runToEnd(script: string, env: Record<string, string>): Promise<void> {
    await promisify(execFile)(process.execPath, [script], { env });
  }

  protected async start(script: string, options: Omit<ChildOptions, 'folder'> = {}): Promise<Child> {
    const child = await Child.start(script, { folder: this.folder, ...options });
    this.closeLater(() => child.stop());
    return child;
  }
}
