import { Clock } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { civilDate, dayNumber, historyStats } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HabitNotFound } from '../habits/habit.errors';
import { todayOf } from '../habits/local-day';
import { readHistories } from '../habits/read-histories';
import type { AccountUser } from '../users/account-user';
import { readDay } from './analysis.dto';
import { StatsView } from './stats.view';

const DEFAULT_DAYS = 365;
/** Five years. */
export const MAX_DAYS = 1_830;

/** Shows what became of each day of one habit. */
@Injectable()
export class ReadStats {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed, HabitNotFound */
  async execute(user: AccountUser, habitId: string, query: { from: unknown; to: unknown }): Promise<StatsView> {
    const wanted = { status: 'all', ids: [habitId] } as const;
    const today = await todayOf(this.dataSource, user, this.clock.now());
    const [found] = await readHistories(this.dataSource, user.userId, wanted);
    const latest = dayNumber(today) + 1;
    const to = query.to === undefined ? dayNumber(today) : readDay('to', query.to, latest);
    const from = query.from === undefined ? to - DEFAULT_DAYS + 1 : readDay('from', query.from, latest);
    if (from > to) {
      throw new ValidationFailed([{ path: '/from', code: 'conflict', message: 'must not be after to' }]);
    }
    if (to - from + 1 > MAX_DAYS) {
      const message = `must be at most ${MAX_DAYS} days before to, both included`;
      throw new ValidationFailed([{ path: '/from', code: 'out_of_range', message }]);
    }
    if (!found) throw new HabitNotFound();
    const { weekStart } = user;
    const range = { from: civilDate(from), to: civilDate(to), today, weekStart };
    return StatsView.of(found.habit.id, historyStats(found.history, range));
  }
}
