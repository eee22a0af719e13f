import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A busy machine compiles, fetches and starts for minutes. */
const LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 60_000;

/** A shell in a folder that runs one text, as a reader types it: the first command that fails ends it. */
export class Terminal {
  /** Both streams, as they came. */
  output = '';
  private readonly child: ChildProcess;
  private code: number | null | undefined;

  constructor(text: string, cwd: string, env: NodeJS.ProcessEnv) {
    // A group of its own: Ctrl-C in a terminal reaches all of it.
    this.child = spawn('sh', ['-ec', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    }
    // Nothing of it outlives who runs it.
    const end = (): void => this.signal('SIGTERM');
    process.once('exit', end);
    void once(this.child, 'close').then(([code]) => {
      this.code = code as number | null;
      process.off('exit', end);
    });
  }

  /**
   * Until it has printed this, or has ended well.
   * @throws Error with the end of what it said, when it fails, ends before, or takes too long
   */
  async done(pattern?: RegExp): Promise<void> {
    const deadline = performance.now() + LIMIT_MS;
    while (!pattern?.test(this.output)) {
      if (this.code === 0 && pattern === undefined) return;
      if (this.code !== undefined || performance.now() > deadline) {
        const wanted = pattern === undefined ? 'end well' : `print ${String(pattern)}`;
        throw new Error(`It did not ${wanted} (code ${this.code}):\n${this.output.slice(-2_000)}`);
      }
      await sleep(50);
    }
  }

  /** As Ctrl-C does. @throws Error when something of it stays */
  async stop(): Promise<void> {
    this.signal('SIGINT');
    const deadline = performance.now() + STOP_LIMIT_MS;
    while (this.code === undefined && performance.now() < deadline) await sleep(50);
    if (this.code !== undefined) return;
    this.signal('SIGKILL');
    throw new Error(`It did not stop at Ctrl-C:\n${this.output.slice(-2_000)}`);
  }

  private signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, name);
    } catch {
      // It has ended.
    }
  }
}
