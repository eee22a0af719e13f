import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HabitFile, HabitToWrite, ReadHabit } from '../habit-file';
import type { ReadOptions } from '../reading/collected-habits';
import { type FileProblem, UnreadableFile } from '../reading/unreadable-file';
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

/** `worker.ts` beside the source, `worker.js` beside what was compiled from it. */
const EXTENSION = extname(__filename);
const PROGRAM = join(__dirname, `worker${EXTENSION}`);
/** Compiles in the thread, also where the process that starts it is compiled otherwise, such as one of tests. */
const compiling = () => ['--conditions=@evenkeel/source', '--require', require.resolve('@swc-node/register')];

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

/** From source a thread compiles first, and on a busy machine that takes seconds. */
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
    this.worker = new Worker(PROGRAM, {
      workerData: task,
      ...(EXTENSION === '.ts' && { execArgv: compiling() }),
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
      throw new UnreadableFile('took_too_much_memory', 'The file takes too much memory.');
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
