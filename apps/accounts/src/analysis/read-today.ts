import { Clock } from '@evenkeel/kernel';
import { civilDate, dayNumber, historyDay, type DayState, type HistoryDay } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { todayOf } from '../habits/local-day';
import { inShortTurns, readHistories, type HabitWithHistory } from '../habits/read-histories';
import type { AccountUser } from '../users/account-user';
import { readDay } from './analysis.dto';

const STATES = ['due', 'kept', 'missed', 'excused', 'open_week', 'off'] as const satisfies readonly DayState[];

/** How one habit stands on a day. */
export class TodaysHabitView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ enum: STATES, description: '`due`, `open_week`: it may still be done; `off`: nothing is due' })
  state!: DayState;
  @ApiProperty({ minimum: 0, maximum: 2, description: 'of that day' }) credit!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 14, description: 'sessions due in a week' }) target!: number;
  @ApiProperty({ minimum: 0, description: 'credit of its week' }) done_this_week!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) current_streak!: number;
  @ApiProperty({ enum: ['day', 'week'] }) streak_unit!: 'day' | 'week';
  @ApiProperty({ description: 'the streak ends unless it is done on that very day' }) at_risk!: boolean;

  static of(habitId: string, day: HistoryDay): TodaysHabitView {
    return { habit_id: habitId, ...day };
  }
}

export class TodayView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty({ type: [TodaysHabitView], description: 'active ones, by their `order`, then by age' })
  habits!: TodaysHabitView[];
}

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
    const today = await todayOf(this.dataSource, user, this.clock.now());
    const found = await readHistories(this.dataSource, user.userId);
    const asked = date === undefined ? today : civilDate(readDay('date', date, dayNumber(today) + 1));
    const { weekStart } = user;
    const inOrder = found.toSorted((one, other) => placeOf(one) - placeOf(other));
    const habits = await inShortTurns(inOrder, ({ habit, history }) =>
      TodaysHabitView.of(habit.id, historyDay(history, { date: asked, today, weekStart })),
    );
    return { date: asked, habits };
  }
}

/** Those without an order come last. Equal ones stay as they were read: the oldest first. */
function placeOf({ habit }: HabitWithHistory): number {
  return habit.order ?? Number.MAX_SAFE_INTEGER;
}
