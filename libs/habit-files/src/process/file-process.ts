import { execFile, fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FileProblem, tooMuchMemory, UnreadableFile } from '../reading/unreadable-file';
import type { FileWork } from './file-work';

export interface Question {
  readonly name: keyof FileWork;
  readonly values: readonly unknown[];
}

export type Answer =
  | { readonly value: unknown }
  | { readonly refused: { readonly code: FileProblem; readonly sentence: string } }
  | { readonly failed: string };

export interface ProcessLimits {
  /** For an answer, once the process runs. */
  readonly timeoutMs: number;
  /** Of its objects and texts. The bytes of a file and SQLite lie beside them, and have limits of their own. */
  readonly heapMebibytes: number;
  /** Ends the process; what waits for it fails with the reason. */
  readonly signal?: AbortSignal;
}

const PROCESS_LIMITS: ProcessLimits = { timeoutMs: 20_000, heapMebibytes: 128 };
const YOUNG_HEAP_MEBIBYTES = 4;
/** On a busy machine that takes seconds. */
const START_LIMIT_MS = 30_000;

type Work<Name extends keyof FileWork> = FileWork[Name];

/**
 * A process of its own for one file: whatever the file costs, ours goes on. Nothing of our settings is in it, and it has no more
 * memory than its limits say.
 */
export class FileProcess {
  private child?: ChildProcess;
  private readonly limits: ProcessLimits;
  private readonly started: Promise<unknown>;
  private ended?: Error;
  private waiting?: { resolve: (value: unknown) => void; reject: (error: Error) => void };

  constructor(limits: Partial<ProcessLimits> = {}) {
    this.limits = { ...PROCESS_LIMITS, ...limits };
    this.started = this.start();
    this.started.catch(() => undefined);
  }

  private async start(): Promise<unknown> {
    const { signal, heapMebibytes } = this.limits;
    const stop = (): void => this.end(signal?.reason as Error);
    const program = await programFile();
    if (signal?.aborted) stop();
    if (this.ended) throw this.ended;
    const child = fork(program, {
      execArgv: [`--max-old-space-size=${heapMebibytes}`, `--max-semi-space-size=${YOUNG_HEAP_MEBIBYTES}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
    child.on('message', (answer: Answer) => this.take(answer));
    child.once('error', (error) => this.end(error));
    child.once('exit', (code, status) => this.end(reasonOf(code, status)));
    signal?.addEventListener('abort', stop);
    child.once('exit', () => signal?.removeEventListener('abort', stop));
    return this.answered(START_LIMIT_MS);
  }

  /**
   * One question at a time.
   * @throws UnreadableFile also when it takes too long, or more memory than there is
   */
  async ask<Name extends keyof FileWork>(
    name: Name,
    ...values: Parameters<Work<Name>>
  ): Promise<Awaited<ReturnType<Work<Name>>>> {
    await this.started;
    const answered = this.answered(this.limits.timeoutMs);
    if (this.child?.connected) this.child.send({ name, values } satisfies Question, () => undefined);
    return answered as Promise<Awaited<ReturnType<Work<Name>>>>;
  }

  /** Its memory is given back. */
  close(): void {
    this.end(new Error('The process that works on a file of habits was closed.'));
  }

  private answered(withinMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      const timer = setTimeout(() => this.end(tooLong()), withinMs);
      const answer = <Value>(with_: (value: Value) => void) => {
        return (value: Value): void => {
          clearTimeout(timer);
          this.waiting = undefined;
          with_(value);
        };
      };
      this.waiting = { resolve: answer(resolve), reject: answer(reject) };
    });
  }

  private take(answer: Answer): void {
    if ('value' in answer) this.waiting?.resolve(answer.value);
    else if ('failed' in answer) this.waiting?.reject(new Error(answer.failed));
    else this.waiting?.reject(new UnreadableFile(answer.refused.code, answer.refused.sentence));
  }

  private end(reason: Error): void {
    this.ended ??= reason;
    this.waiting?.reject(this.ended);
    this.child?.kill('SIGKILL');
  }
}

/** The engine ends a process that asks for too much by a signal of its own, and the system by one of its. */
function reasonOf(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal !== null) return tooMuchMemory();
  return new Error(`The process that works on a file of habits ended with the status ${code}.`);
}

function tooLong(): UnreadableFile {
  return new UnreadableFile('took_too_long', 'The file takes too long.');
}

/** Beside what was compiled. */
const COMPILED = join(__dirname, 'program.js');
const CACHE = join(__dirname, '../../../../node_modules/.cache/evenkeel-programs');
let bundled: Promise<string> | undefined;

async function programFile(): Promise<string> {
  return existsSync(COMPILED) ? COMPILED : (bundled ??= bundle());
}

/** From source it is bundled once a process: to compile it in each child would take half a second of a processor. */
async function bundle(): Promise<string> {
  const source = join(__dirname, 'program.ts');
  mkdirSync(CACHE, { recursive: true });
  const unfinished = join(CACHE, `habit-files-${process.pid}.js`);
  // Packages are found from where the source is.
  const banner = `require = require('node:module').createRequire(${JSON.stringify(source)});`;
  const options = [
    '--bundle',
    '--platform=node',
    '--target=node20',
    '--conditions=@evenkeel/source',
    '--external:sql.js',
  ];
  // In a process of its own: nobody waits for it here.
  await promisify(execFile)(require.resolve('esbuild/bin/esbuild'), [
    source,
    ...options,
    `--banner:js=${banner}`,
    `--outfile=${unfinished}`,
  ]);
  const hash = createHash('sha256').update(readFileSync(unfinished)).digest('hex').slice(0, 16);
  const file = join(CACHE, `habit-files-${hash}.js`);
  renameSync(unfinished, file);
  return file;
}
