import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { AppName } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { productionAllocator, productionNodeOptions } from '@evenkeel/services';
import { END_WITH_PARENT } from '@evenkeel/services/programs';

/** Sixteen of them start together, on as few as two cores. */
const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 30_000;
const OUTPUT_SHOWN = 2_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** From the signal to the end. */
  ms: number;
}

interface ProcessOptions {
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
  /** Called whenever it ends without `stop` after it was ready. */
  onDeath?: (exit: Exit) => void;
  private child?: ChildProcess;
  private ended: Promise<Exit> = Promise.resolve({ code: null, signal: null, ms: 0 });
  private hasSaidReady = false;

  constructor(readonly options: ProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Of the process that runs and has said that it is ready. */
  get readyPid(): number | undefined {
    return this.isRunning && this.hasSaidReady ? this.child?.pid : undefined;
  }

  private get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when it says that it is ready. @throws Error with its last output when it does not */
  async start(): Promise<void> {
    const from = this.launch();
    const isReady = (): boolean => /^\{"ready":true/m.test(this.outputSince(from));
    await eventually(() => isReady() || !this.isRunning, { withinMs: START_LIMIT_MS }).catch(() => undefined);
    if (!isReady() || !this.isRunning) {
      await this.stop('SIGKILL');
      throw this.failure('did not start', from);
    }
    this.hasSaidReady = true;
  }

  /** Runs it to its end, for a job. @throws Error with its last output unless it ends with 0 */
  async run(): Promise<void> {
    const from = this.launch();
    if ((await this.ended).code !== 0) throw this.failure('failed', from);
  }

  private launch(): number {
    const { app, script, env, outputFile } = this.options;
    const output = openSync(outputFile, 'a');
    const from = readFileSync(outputFile).length;
    this.hasSaidReady = false;
    // Out of reach of the terminal's Ctrl-C: who started us ends them in order.
    const stdio: ['ignore', number, number, 'ipc'] = ['ignore', output, output, 'ipc'];
    const execArgv = [...productionNodeOptions(app), '--require', END_WITH_PARENT];
    const child = fork(script, [], { env: { ...productionAllocator(), ...env }, stdio, detached: true, execArgv });
    closeSync(output);
    this.child = child;
    this.ended = once(child, 'exit').then(([code, signal]: unknown[]) => ({ code, signal, ms: 0 }) as Exit);
    void this.ended.then((exit) => {
      if (this.hasSaidReady) this.onDeath?.(exit);
    });
    return from;
  }

  /** Asks it to end, and waits. It is forced after 30 s. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    const begun = performance.now();
    this.hasSaidReady = false;
    this.child?.kill(signal);
    const forced = setTimeout(() => this.child?.kill('SIGKILL'), STOP_LIMIT_MS);
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
