import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type * as Esbuild from 'esbuild';
import type { HabitFile, HabitToWrite, ReadHabit } from '../habit-file';
import type { ReadOptions } from '../reading/collected-habits';
import { type FileProblem, tooMuchMemory, UnreadableFile } from '../reading/unreadable-file';
import type { WrittenFormat } from '../writing/write-habit-file';

export type Task =
  | { readonly do: 'read'; readonly bytes: Uint8Array; readonly options: ReadOptions }
  | { readonly do: 'write'; readonly format: WrittenFormat };

/** To the thread: one habit to write after the other as JSON, then null. */
export type Told = string | null;

/**
 * From the thread: that it begins to work, the habits that were read as JSON, one after the other, and in the end the rest of
 * the file, the written one, or the refusal. Piece by piece neither side waits for long, or holds all of it twice.
 */
export type Heard =
  | 'begun'
  | { readonly habit: string }
  | { readonly file: Omit<HabitFile, 'habits'> }
  | { readonly written: Uint8Array }
  | { readonly refused: { readonly code: FileProblem; readonly sentence: string } };

export interface ThreadLimits {
  /** For the work, once the thread runs and has all it works on. */
  readonly timeoutMs: number;
  /** What the thread may take, SQLite not counted, which has a limit of its own. */
  readonly heapMebibytes: number;
}

const THREAD_LIMITS: ThreadLimits = { timeoutMs: 5_000, heapMebibytes: 128 };
const YOUNG_HEAP_MEBIBYTES = 4;

/** Beside what was compiled. */
const COMPILED = join(__dirname, 'worker.js');
let bundled: string | undefined;

/** From source it is bundled once a process: to compile it in each thread would take half a second of a processor. */
function bundle(): string {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const source = join(__dirname, 'worker.ts');
  const { outputFiles } = buildSync({
    entryPoints: [source],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    conditions: ['@evenkeel/source'],
    external: ['sql.js'],
    // Packages are found from where the source is.
    banner: { js: `require = require('node:module').createRequire(${JSON.stringify(source)});` },
  });
  return outputFiles[0]!.text;
}

/**
 * `readHabitFile` in a thread that ends with it: nothing waits meanwhile, and its memory is given back.
 * @param bytes stay usable
 * @throws UnreadableFile also when it takes too long or too much
 */
export async function readHabitFileInThread(
  bytes: Uint8Array,
  options: ReadOptions,
  limits?: Partial<ThreadLimits>,
): Promise<HabitFile> {
  const habits: ReadHabit[] = [];
  const thread = new Thread({ do: 'read', bytes, options }, limits, (habit) => habits.push(habit));
  const last = await thread.ended(async () => undefined);
  return { ...(last as { file: Omit<HabitFile, 'habits'> }).file, habits };
}

/**
 * `writeHabitFile` in a thread that ends with it.
 * @param habits are asked for one at a time, so that a caller need not hold all of them
 * @throws UnreadableFile when it takes too long or too much
 */
export async function writeHabitFileInThread(
  format: WrittenFormat,
  habits: Iterable<HabitToWrite> | AsyncIterable<HabitToWrite>,
  limits?: Partial<ThreadLimits>,
): Promise<Uint8Array> {
  const thread = new Thread({ do: 'write', format }, limits);
  const last = await thread.ended(async (tell) => {
    for await (const habit of habits) tell(JSON.stringify(habit));
    tell(null);
  });
  return (last as { written: Uint8Array }).written;
}

/** On a busy machine that takes seconds. */
const START_LIMIT_MS = 30_000;

class Thread {
  private readonly worker: Worker;
  private readonly limits: ThreadLimits;
  private timer?: NodeJS.Timeout;

  constructor(
    task: Task,
    limits: Partial<ThreadLimits> = {},
    private readonly take: (habit: ReadHabit) => void = () => undefined,
  ) {
    this.limits = { ...THREAD_LIMITS, ...limits };
    const isCompiled = existsSync(COMPILED);
    this.worker = new Worker(isCompiled ? COMPILED : (bundled ??= bundle()), {
      workerData: task,
      ...(!isCompiled && { eval: true, execArgv: [] }),
      resourceLimits: {
        maxOldGenerationSizeMb: this.limits.heapMebibytes,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MEBIBYTES,
      },
    });
  }

  /** @param feed tells the thread what it works on */
  async ended(feed: (tell: (told: Told) => void) => Promise<void>): Promise<Heard> {
    try {
      const heard = this.heardLast();
      const fed = feed((told) => this.worker.postMessage(told));
      // Who feeds may fail, and then nothing is ever heard.
      const last = await Promise.race([heard, fed.then(() => heard)]);
      if (typeof last === 'object' && 'refused' in last) {
        throw new UnreadableFile(last.refused.code, last.refused.sentence);
      }
      return last;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw tooMuchMemory();
    } finally {
      clearTimeout(this.timer);
      await this.worker.terminate();
    }
  }

  private heardLast(): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const endAfter = (limitMs: number): void => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => resolve(TOO_LONG), limitMs);
      };
      endAfter(START_LIMIT_MS);
      this.worker.on('message', (heard: Heard) => {
        if (heard === 'begun') endAfter(this.limits.timeoutMs);
        else if ('habit' in heard) this.take(JSON.parse(heard.habit) as ReadHabit);
        else resolve(heard);
      });
      this.worker.once('error', reject);
      this.worker.once('exit', () =>
        reject(new Error('The thread that works on a file of habits ended without a word.')),
      );
    });
  }
}

const TOO_LONG: Heard = { refused: { code: 'took_too_long', sentence: 'The file takes too long.' } };
