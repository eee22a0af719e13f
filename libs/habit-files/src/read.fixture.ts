import { UnreadableFile, readHabitFile, type HabitFile, type ReadOptions } from './index';

/** The present of all tests. */
export const LAST_DAY = '2026-11-21';

export function read(content: string | Uint8Array, options?: Partial<ReadOptions>): Promise<HabitFile> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return readHabitFile(bytes, { lastDay: LAST_DAY, ...options });
}

/** Habits by name, each with its logs in short: `01-05 C`, `01-06 P 0.25`. */
export async function habitsIn(content: string | Uint8Array, options?: Partial<ReadOptions>) {
  const file = await read(content, options);
  const habits = new Map(
    file.habits.map((habit) => [
      habit.name,
      {
        ...habit,
        logs: habit.logs.map(({ localDate, status, completionRate }) =>
          [localDate.slice(5), status[0], ...(status === 'PARTIAL' ? [completionRate] : [])].join(' '),
        ),
      },
    ]),
  );
  return { ...file, habits, rejects: rejectsOf(file) };
}

export function rejectsOf({ rejects }: HabitFile): string[] {
  return rejects.map(({ row, reason }) => `${row}: ${reason}`);
}

/** The code and the sentence of the refusal. */
export async function refusalOf(content: string | Uint8Array, options?: Partial<ReadOptions>): Promise<string> {
  try {
    await read(content, options);
  } catch (error) {
    if (error instanceof UnreadableFile) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('The file was read.');
}
