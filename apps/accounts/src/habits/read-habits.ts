import { setImmediate } from 'node:timers/promises';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { HabitNotFound } from './habit.errors';
import { HabitView } from './habit.view';
import { todayOf } from './local-day';
import { readHistories, type WantedHabits } from './read-histories';

const WITHOUT_PAUSE_MS = 20;

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
    const views: HabitView[] = [];
    let begunMs = performance.now();
    for (const habit of habits) {
      views.push(HabitView.of(habit, { asOf, weekStart: user.weekStart }));
      // Hundreds of habits of decades take a while: others are answered in between.
      if (performance.now() - begunMs < WITHOUT_PAUSE_MS) continue;
      await setImmediate();
      begunMs = performance.now();
    }
    return views;
  }

  /** @throws HabitNotFound */
  async one(user: AccountUser, id: string, runner?: EntityManager): Promise<HabitView> {
    const [habit] = await this.all(user, { status: 'all', ids: [id] }, runner);
    if (!habit) throw new HabitNotFound();
    return habit;
  }
}
