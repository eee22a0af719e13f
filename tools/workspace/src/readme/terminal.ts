import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_LIMIT_MS = 60_000;
const POLL_MS = 50;

/** A shell in a folder that runs one text, as a reader types it: the first command that fails ends it. */
export class Terminal {
  /** Both streams, as they came. */
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;

  constructor(text: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
    // A group of its own: Ctrl-C in a terminal reaches all of it.
    this.child = spawn('sh', ['-ec', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    }
    // Nothing of it outlives who runs it.
    const end = (): void => this.signal('SIGTERM');
    process.once('exit', end);
    this.ended = once(this.child, 'close').then(([code]) => {
      process.off('exit', end);
      return code as number | null;
    });
  }

  /** @throws Error with the end of what it said, when it fails or takes longer */
  async success(withinMs: number): Promise<void> {
    const code = await Promise.race([this.ended, sleep(withinMs, 'late' as const, { ref: false })]);
    if (code === 0) return;
    await this.stop();
    throw new Error(`${code === 'late' ? 'It did not end' : `It ended with ${code}`}:\n${this.lastWords()}`);
  }

  /** Until it has printed this. @throws Error when it ends before, or takes longer */
  async prints(pattern: RegExp, withinMs: number): Promise<void> {
    let isOver = false;
    void this.ended.then(() => (isOver = true));
    for (const deadline = performance.now() + withinMs; !pattern.test(this.output); await sleep(POLL_MS)) {
      if (isOver || performance.now() > deadline) {
        throw new Error(`It never printed ${String(pattern)}:\n${this.lastWords()}`);
      }
    }
  }

  /** As Ctrl-C does. @throws Error when something of it stays */
  async stop(): Promise<void> {
    this.signal('SIGINT');
    const ended = await Promise.race([this.ended, sleep(STOP_LIMIT_MS, 'late' as const, { ref: false })]);
    if (ended !== 'late') return;
    this.signal('SIGKILL');
    throw new Error(`It did not stop at Ctrl-C:\n${this.lastWords()}`);
  }

  private signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, name);
    } catch {
      // It has ended.
    }
  }

  private lastWords(): string {
    return this.output.slice(-2_000);
  }
}
