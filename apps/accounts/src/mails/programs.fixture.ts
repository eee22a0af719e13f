import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { END_WITH_PARENT, programArguments } from '@evenkeel/services/programs';

const ROOT = join(__dirname, '../../../..');

/** A program of this service in a process of its own, and everything that it prints. */
export class AccountsProgram {
  output = '';
  readonly exit: Promise<NodeJS.Signals | null>;
  private readonly child;

  /** @param how fromSource: also where programs are compiled; the thread that reads files is no part of those */
  constructor(entry: 'main' | 'worker', settings: Record<string, string>, how = { fromSource: false }) {
    const { PATH, HOME } = process.env;
    const file = `apps/accounts/src/${entry}.ts`;
    const source = ['--conditions=@evenkeel/source', '--require', '@swc-node/register', join(ROOT, file)];
    const args = ['--require', END_WITH_PARENT, ...(how.fromSource ? source : programArguments(file))];
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
