import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 50;
const FROM_SOURCE = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
const TELL_CPU = ['--require', require.resolve('./tell-cpu.cjs')];
/** The line of programs of the run and of services; a worker has no address but that of its health. */
const READY = /^\{"ready":true.*?"(?:url|internalUrl)":"([^"]*)"/m;

export interface ChildOptions {
  args?: readonly string[];
  /** All of it: nothing of this shell's environment reaches the child. */
  env?: Record<string, string>;
  /** It runs as it is: JavaScript of a build. */
  isBuilt?: boolean;
  /** Options of Node, after those that every child has. */
  nodeOptions?: readonly string[];
  /** Where it runs; by default where this process does. */
  cwd?: string;
  /** What it says when it answers; its first group is the address. */
  readyLine?: RegExp;
  /** Its output goes into a file here, as that of a service does. */
  folder: string;
}

/** A process of the run, from the same kind of source as the others. It ends with us, however we end. */
export class Child {
  private waiting?: { resolve: (reply: unknown) => void; reject: (error: Error) => void };

  private constructor(
    private readonly child: ChildProcess,
    output: string,
    /** From its line that says that it is ready. */
    readonly url: string,
  ) {
    child.on('message', (reply) => this.waiting?.resolve(reply));
    child.on('exit', () =>
      this.waiting?.reject(new Error(`a process of the benchmark ended before its time:\n${endOf(output)}`)),
    );
  }

  /** @throws Error with its last output when it does not come up */
  static async start(script: string, options: ChildOptions): Promise<Child> {
    const { args = [], env = {}, cwd, isBuilt = false, nodeOptions = [], readyLine = READY, folder } = options;
    const output = join(mkdtempSync(join(folder, 'child-')), 'output');
    const file = openSync(output, 'w');
    const child = fork(script, args, {
      ...{ env, cwd },
      execArgv: [...(isBuilt ? [] : FROM_SOURCE), ...TELL_CPU, ...nodeOptions],
      stdio: ['ignore', file, file, 'ipc'],
    });
    closeSync(file);
    try {
      return new Child(child, output, await readyUrl(child, output, readyLine));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** One question at a time. */
  ask<Reply>(question: string | object): Promise<Reply> {
    return new Promise<unknown>((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.child.send(question);
    }) as Promise<Reply>;
  }

  /** User and system time since it started. */
  async cpuMs(): Promise<number> {
    const { user, system } = await this.ask<NodeJS.CpuUsage>('cpu');
    return (user + system) / 1_000;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const forced = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(forced);
  }
}

async function readyUrl(child: ChildProcess, output: string, readyLine: RegExp): Promise<string> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    const url = readyLine.exec(readFileSync(output, 'utf8'))?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`a process of the benchmark did not start:\n${endOf(output)}`);
    }
    await sleep(POLL_MS);
  }
}

function endOf(output: string): string {
  return readFileSync(output, 'utf8').slice(-2_000);
}
