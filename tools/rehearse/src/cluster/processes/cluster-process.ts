import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppName } from '@evenkeel/contracts';
import { productionAllocator, productionNodeOptions } from '@evenkeel/services';
import { END_WITH_PARENT } from '@evenkeel/services/programs';

/** Sixteen of them start together, on as few as two cores. */
const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 30_000;
const POLL_MS = 50;
const OUTPUT_SHOWN = 2_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** From the signal to the end. */
  ms: number;
}

export interface ProcessOptions {
  /** Of the file of its output, and in messages: `accounts-1`. */
  name: string;
  /** The service whose requests it answers: it runs with the options of Node that this has in production. */
  app?: AppName | undefined;
  /** JavaScript of a build. */
  script: string;
  /** All of it. */
  env: NodeJS.ProcessEnv;
  /** Takes what it prints. */
  outputFile: string;
}

/** A program of the cluster that can be ended and started again. It ends with us, however we end. */
export class ClusterProcess {
  private child?: ChildProcess;
  private ended?: Promise<Omit<Exit, 'ms'>>;
  private hasSaidReady = false;
  private isMeantToEnd = false;
  private onDeath?: (exit: Omit<Exit, 'ms'>) => void;

  constructor(readonly options: ProcessOptions) {}

  /** Calls back whenever it ends without `stop`. */
  watch(onDeath: (exit: Omit<Exit, 'ms'>) => void): void {
    this.onDeath = onDeath;
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Whether it runs, and has said that it is ready. */
  get isReady(): boolean {
    return this.isRunning && this.hasSaidReady;
  }

  /** Resolves when it says that it is ready. @throws Error with its last output when it does not */
  async start(): Promise<void> {
    const from = this.launch();
    const deadline = performance.now() + START_LIMIT_MS;
    while (!/^\{"ready":true/m.test(this.outputSince(from))) {
      if (!this.isRunning || performance.now() > deadline) {
        await this.stop('SIGKILL');
        throw this.failure('did not start', from);
      }
      await sleep(POLL_MS);
    }
    this.hasSaidReady = true;
  }

  /** Runs it to its end, for a job. @returns what it printed @throws Error with its last output unless it ends with 0 */
  async run(): Promise<string> {
    const from = this.launch();
    const { code } = await this.ended!;
    if (code !== 0) throw this.failure('failed', from);
    return this.outputSince(from);
  }

  private launch(): number {
    const { app, script, env, outputFile } = this.options;
    const output = openSync(outputFile, 'a');
    const from = readFileSync(outputFile).length;
    this.hasSaidReady = false;
    this.isMeantToEnd = false;
    // Out of reach of the terminal's Ctrl-C: who started us ends them in order.
    const stdio: ['ignore', number, number, 'ipc'] = ['ignore', output, output, 'ipc'];
    const execArgv = [...productionNodeOptions(app), '--require', END_WITH_PARENT];
    this.child = fork(script, [], { env: { ...productionAllocator(), ...env }, stdio, detached: true, execArgv });
    closeSync(output);
    this.ended = once(this.child, 'exit').then(([code, signal]: unknown[]) => ({ code, signal }) as Omit<Exit, 'ms'>);
    void this.ended.then((exit) => {
      if (this.hasSaidReady && !this.isMeantToEnd) this.onDeath?.(exit);
    });
    return from;
  }

  /** Asks it to end, and waits. It is forced after 30 s. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    const begun = performance.now();
    if (!this.child || !this.ended) return { code: null, signal: null, ms: 0 };
    this.isMeantToEnd = true;
    this.child.kill(signal);
    const forced = setTimeout(() => this.child!.kill('SIGKILL'), STOP_LIMIT_MS);
    const exit = await this.ended;
    clearTimeout(forced);
    return { ...exit, ms: Math.round(performance.now() - begun) };
  }

  private outputSince(from: number): string {
    return readFileSync(this.options.outputFile).subarray(from).toString();
  }

  private failure(what: string, from: number): Error {
    const words = this.outputSince(from).slice(-OUTPUT_SHOWN);
    return new Error(`${this.name} ${what}. Its last words, of ${this.options.outputFile}:\n${words}`);
  }
}
