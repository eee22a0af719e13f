import { Clock } from '@evenkeel/kernel';
import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { HabitNotFound } from './habit.errors';
import { HabitView } from './habit.view';
import { todayOf } from './local-day';
import { readHistories, type WantedHabits } from './read-histories';

/** Habits as answers show them: with the numbers of their whole history. */
@Injectable()
export class ReadHabits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Oldest first.
   * @param runner a transaction that must see its own changes
   */
  async all(
    user: AccountUser,
    wanted: WantedHabits,
    runner: Pick<EntityManager, 'query' | 'transaction'> = this.dataSource,
  ): Promise<HabitView[]> {
    const [asOf, habits] = await together([
      todayOf(runner, user, this.clock.now()),
      readHistories(runner, user.userId, wanted),
    ]);
    return habits.map((habit) => HabitView.of(habit, { asOf, weekStart: user.weekStart }));
  }

  /** @throws HabitNotFound */
  async one(user: AccountUser, id: string, runner?: Pick<EntityManager, 'query' | 'transaction'>): Promise<HabitView> {
    const [habit] = await this.all(user, { status: 'all', ids: [id] }, runner);
    if (!habit) throw new HabitNotFound();
    return habit;
  }
}
