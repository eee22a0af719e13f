import { Clock } from '@evenkeel/kernel';
import { onOneConnection, together } from '@evenkeel/platform/persistence';
import { civilDate, dayNumber, historyDay } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { todayOf } from '../habits/local-day';
import { readHistories, type HabitWithHistory } from '../habits/read-histories';
import type { AccountUser } from '../users/account-user';
import { readDay } from './analysis.dto';
import { TodaysHabitView, type TodayView } from './today.view';

/** Shows how all active habits stand on one day. */
@Injectable()
export class ReadToday {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * @param date another day than today: as it is seen from today
   * @throws ValidationFailed
   */
  async execute(user: AccountUser, date: unknown): Promise<TodayView> {
    const [today, found] = await onOneConnection(this.dataSource, (on) =>
      together([todayOf(on, user, this.clock.now()), readHistories(on, user.userId)]),
    );
    const asked = date === undefined ? today : civilDate(readDay('date', date, dayNumber(today) + 1));
    const { weekStart } = user;
    const habits = found
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map(({ habit, history }) =>
        TodaysHabitView.of(habit.id, historyDay(history, { date: asked, today, weekStart })),
      );
    return { date: asked, habits };
  }
}

/** Those without an order come last. Equal ones stay as they were read: the oldest first. */
function placeOf({ habit }: HabitWithHistory): number {
  return habit.order ?? Number.MAX_SAFE_INTEGER;
}
