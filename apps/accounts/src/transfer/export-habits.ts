import { writeHabitFileInThread, type HabitToWrite, type WrittenFormat } from '@evenkeel/habit-files';
import { RateLimited } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** At once in this process. */
const RUNNING_MOST = 2;

type StoredHabit = Omit<HabitToWrite, 'logs'> & { id: string };
type StoredLog = HabitToWrite['logs'][number] & { habitId: string };

const HABITS = `
  SELECT id, source_id AS "sourceId", name, description, category, cadence, target_per_week AS "targetPerWeek",
    target_days_mask AS "targetDaysMask", CASE WHEN start_given THEN start_day::text END AS start,
    archived_at IS NOT NULL AS archived
  FROM habits WHERE user_id = $1`;

const LOGS = `
  SELECT habit_id AS "habitId", source_id AS "sourceId", local_date::text AS "localDate",
    to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt", status,
    completion_rate::float8 AS "completionRate", duration_minutes AS "durationMinutes", mood_score AS "moodScore",
    energy_score AS "energyScore", stress_score AS "stressScore", context_tags AS "contextTags", note
  FROM habit_logs WHERE user_id = $1`;

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
      const habits = await tx.query<StoredHabit[]>(HABITS, [userId]);
      const logs = new Map<string, HabitToWrite['logs'][number][]>(habits.map(({ id }) => [id, []]));
      for (const { habitId, ...log } of await tx.query<StoredLog[]>(LOGS, [userId])) logs.get(habitId)!.push(log);
      return habits.map(({ id, ...habit }) => ({ ...habit, logs: logs.get(id)! }));
    });
  }
}
