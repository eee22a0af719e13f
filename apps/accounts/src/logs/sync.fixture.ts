import type { HabitsOf } from '../habits/habits.fixture';

export interface Item {
  id: string;
  name?: string;
  note?: string | null;
  habitId?: string;
}

interface Page {
  habits: Item[];
  logs: Item[];
  deleted: { kind: 'habit' | 'log'; id: string }[];
  next_cursor: string;
  more: boolean;
}

/** A device that follows the changes of its person. */
export class Follower {
  /** Ids of habits and logs in the order in which they were sent, repetitions included. */
  readonly seen: string[] = [];
  readonly habits = new Map<string, Item>();
  readonly logs = new Map<string, Item>();
  private cursor = '';

  constructor(
    private readonly of: HabitsOf,
    private readonly limit = 500,
  ) {}

  async catchUp(): Promise<void> {
    while (await this.readPage());
  }

  /** @returns whether there is more */
  async readPage(): Promise<boolean> {
    const query = `?limit=${this.limit}${this.cursor && `&cursor=${this.cursor}`}`;
    const { status, body, text } = await this.of.ask('GET', `/changes${query}`);
    if (status !== 200) throw new Error(`changes answered ${status}: ${text}`);
    const { habits, logs, deleted, next_cursor, more } = body as unknown as Page;
    for (const habit of habits) this.habits.set(habit.id, habit);
    for (const log of logs) this.logs.set(log.id, log);
    this.seen.push(...habits.map(({ id }) => id), ...logs.map(({ id }) => id));
    for (const { kind, id } of deleted) {
      if (kind === 'log') this.logs.delete(id);
      else this.forget(id);
    }
    this.cursor = next_cursor;
    return more;
  }

  private forget(habitId: string): void {
    this.habits.delete(habitId);
    for (const [id, log] of this.logs) if (log.habitId === habitId) this.logs.delete(id);
  }
}
