import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { END_WITH_PARENT, programArguments } from '@evenkeel/services/programs';

const ROOT = join(__dirname, '../../../..');

/** A program of this service in a process of its own, and everything that it prints. */
export class BillingProgram {
  output = '';
  readonly exit: Promise<NodeJS.Signals | null>;
  private readonly child;

  constructor(entry: 'main' | 'worker' | 'fault-tests/worker-program.fixture', settings: Record<string, string>) {
    const { PATH, HOME } = process.env;
    const args = ['--require', END_WITH_PARENT, ...programArguments(`apps/billing/src/${entry}.ts`)];
    const env = { PATH, HOME, PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0', ...settings };
    this.child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.exit = once(this.child, 'close').then(([, signal]) => signal as NodeJS.Signals | null);
  }

  /** @returns its address, of a program that has one */
  async ready(): Promise<string> {
    const isReady = /^\{"ready":\s*true.*\}$/m;
    await eventually(() => isReady.test(this.output), { withinMs: 30_000 });
    return (JSON.parse(isReady.exec(this.output)![0]) as { url: string }).url;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exit;
  }
}
