import { writeHabitFileInThread, type HabitToWrite, type WrittenFormat } from '@evenkeel/habit-files';
import { RateLimited } from '@evenkeel/platform/http';
import type { Query } from '@evenkeel/platform/lists';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { readHabits, withLogs } from './account-habits';

/** At once in this process. */
const RUNNING_MOST = 2;

/** Habits and logs of a person as a file: no id of ours, and nothing that changes by itself. */
@Injectable()
export class ExportHabits {
  private running = 0;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws RateLimited when two run already */
  async execute(userId: string, format: WrittenFormat): Promise<Uint8Array> {
    if (this.running >= RUNNING_MOST) throw new RateLimited({ scope: 'concurrency' });
    this.running++;
    try {
      return await writeHabitFileInThread(format, await this.habitsOf(userId));
    } finally {
      this.running--;
    }
  }

  private habitsOf(userId: string): Promise<HabitToWrite[]> {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      const query: Query = (statement, values) => tx.query(statement, values);
      return withLogs(query, userId, await readHabits(query, userId));
    });
  }
}
