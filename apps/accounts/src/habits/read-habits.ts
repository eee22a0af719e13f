import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { HabitNotFound } from './habit.errors';
import { HabitView } from './habit.view';
import { todayOf } from './local-day';
import { inShortTurns, readHistories, type WantedHabits } from './read-histories';

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
  async all(user: AccountUser, wanted: WantedHabits, runner?: EntityManager): Promise<HabitView[]> {
    const on = runner ?? this.dataSource;
    const asOf = await todayOf(on, user, this.clock.now());
    const habits = await readHistories(on, user.userId, wanted);
    return inShortTurns(habits, (habit) => HabitView.of(habit, { asOf, weekStart: user.weekStart }));
  }

  /** @throws HabitNotFound */
  async one(user: AccountUser, id: string, runner?: EntityManager): Promise<HabitView> {
    const [habit] = await this.all(user, { status: 'all', ids: [id] }, runner);
    if (!habit) throw new HabitNotFound();
    return habit;
  }
}
