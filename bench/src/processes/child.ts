import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 20;
const PRELOAD = ['--require', require.resolve('./preload.cjs')];
const FROM_SOURCE = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
/** The line of a service or of a program of the run, and that of `npm start`; a worker has only an internal address. */
const READY = /^(?:\{"ready":true.*?"(?:url|internalUrl)":"([^"]*)"|Evenkeel runs at (\S+)$)/m;

export interface ChildOptions {
  args?: readonly string[];
  /** All of it: nothing of the environment of this process reaches the child. */
  env?: Record<string, string>;
  /** Where it runs; by default where this process does. */
  cwd?: string;
  /** It runs as it is, without the compiler. */
  isJavaScript?: boolean;
  /** Its output goes into a file here. */
  folder: string;
}

/** A process of the run. It ends with this one, however this one ends. */
export class Child {
  private waiting?: { resolve: (reply: unknown) => void; reject: (error: Error) => void };

  private constructor(
    private readonly process: ChildProcess,
    private readonly output: string,
  ) {
    process.on('message', (reply) => this.waiting?.resolve(reply));
    process.on('exit', () => this.waiting?.reject(this.failed('ended early')));
  }

  static spawn(script: string, { args = [], env = {}, cwd, isJavaScript = false, folder }: ChildOptions): Child {
    const output = join(mkdtempSync(join(folder, 'child-')), 'output');
    const file = openSync(output, 'w');
    const execArgv = [...PRELOAD, ...(isJavaScript ? [] : FROM_SOURCE)];
    const child = fork(script, args, { env, cwd, execArgv, stdio: ['ignore', file, file, 'ipc'] });
    closeSync(file);
    return new Child(child, output);
  }

  /** @returns its address, once it answers. @throws Error with its last output when it does not come up */
  async ready(): Promise<string> {
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      const [, service, product] = READY.exec(readFileSync(this.output, 'utf8')) ?? [];
      if (service ?? product) return (service ?? product)!;
      if (this.hasEnded || performance.now() > deadline) throw this.failed('did not start');
      await sleep(POLL_MS);
    }
  }

  /** Of a program that ends by itself. @throws Error with its last output when it fails */
  async ended(): Promise<void> {
    if (!this.hasEnded) await once(this.process, 'exit');
    if (this.process.exitCode !== 0) throw this.failed('failed');
  }

  /** One question at a time. */
  ask<Reply>(question: string): Promise<Reply> {
    return new Promise<unknown>((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.process.send(question, (error) => error && reject(error));
    }) as Promise<Reply>;
  }

  /** User and system time since it started. */
  async cpuMs(): Promise<number> {
    const { user, system } = await this.ask<NodeJS.CpuUsage>('cpu');
    return (user + system) / 1_000;
  }

  /** Resident memory; NaN where there is no /proc. */
  residentMb(): number {
    try {
      const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
    } catch {
      return NaN;
    }
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const forced = setTimeout(() => this.process.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(forced);
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  private failed(how: string): Error {
    return new Error(`a process of the benchmark ${how}:\n${readFileSync(this.output, 'utf8').slice(-2_000)}`);
  }
}
