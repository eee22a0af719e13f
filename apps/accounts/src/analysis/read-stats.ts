import { Clock } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { civilDate, dayNumber, historyStats, historyDay, type DayState } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { HabitNotFound, todayOf } from '../habits/habit-rules';
import { readHistories, inShortTurns, type HabitWithHistory } from '../habits/read-habits';
import type { AccountUser } from '../users/account-user';
import { readDay } from './analysis.dto';

const STATES = ['kept', 'missed', 'excused', 'pending', 'off'] as const;
type State = (typeof STATES)[number];

export class DayView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty({ enum: STATES, description: '`off`: nothing was due' }) state!: State;
  @ApiProperty({ minimum: 0, maximum: 2 }) credit!: number;
}

export class WeekView {
  @ApiProperty({ format: 'date', description: 'its first day' }) start!: string;
  @ApiProperty({ enum: STATES }) state!: State;
  @ApiProperty({ minimum: 0 }) credit!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 14 }) target!: number;
}

export class WeekdayRateView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 7, description: '1 is Monday' }) weekday!: number;
  @ApiProperty({ type: Number, minimum: 0, maximum: 1, nullable: true, description: 'null below 4 days' })
  completion_rate!: number | null;
  @ApiProperty({ type: 'integer', minimum: 0 }) n!: number;
}

export class StrengthView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty({ minimum: 0, maximum: 1 }) value!: number;
}

export class StreakView {
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'days or weeks kept' }) length!: number;
}

export class StreaksView {
  @ApiProperty({ type: 'integer', minimum: 0 }) current!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) best!: number;
  @ApiProperty({ nullable: true, type: String, format: 'date' }) best_from!: string | null;
  @ApiProperty({ nullable: true, type: String, format: 'date' }) best_to!: string | null;
  @ApiProperty({
    type: [StreakView],
    maxItems: 10,
    description: 'the ten longest, the longest and then earliest first',
  })
  list!: StreakView[];
}

/** A habit as a calendar and curves show it. */
export class StatsView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ enum: ['day', 'week'] }) streak_unit!: 'day' | 'week';
  @ApiProperty({ type: [DayView], description: 'every day shown' }) days!: DayView[];
  @ApiPropertyOptional({
    type: [WeekView],
    description: 'of habits with a weekly target alone; their days are `off` or, with credit, `kept`',
  })
  weeks?: WeekView[];
  @ApiProperty({ type: [WeekdayRateView] }) weekdays!: WeekdayRateView[];
  @ApiProperty({ type: [StrengthView], description: 'one a week, and the last day' }) strength!: StrengthView[];
  @ApiProperty({ description: 'of the whole history' }) streaks!: StreaksView;
}

const DEFAULT_DAYS = 365;
/** Five years. */
export const MAX_DAYS = 1_830;

const DAY_STATES = ['due', 'kept', 'missed', 'excused', 'open_week', 'off'] as const satisfies readonly DayState[];

/** How one habit stands on a day. */
export class TodaysHabitView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ enum: DAY_STATES, description: '`due`, `open_week`: it may still be done; `off`: nothing is due' })
  state!: DayState;
  @ApiProperty({ minimum: 0, maximum: 2, description: 'of that day' }) credit!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 14, description: 'sessions due in a week' }) target!: number;
  @ApiProperty({ minimum: 0, description: 'credit of its week' }) done_this_week!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) current_streak!: number;
  @ApiProperty({ enum: ['day', 'week'] }) streak_unit!: 'day' | 'week';
  @ApiProperty({ description: 'the streak ends unless it is done on that very day' }) at_risk!: boolean;
}

export class TodayView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty({ type: [TodaysHabitView], description: 'active ones, by their `order`, then by age' })
  habits!: TodaysHabitView[];
}

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
    return { habit_id: found.habit.id, ...historyStats(found.history, range) };
  }

  /**
   * How all active habits stand on one day.
   * @param date another day than today: as it is seen from today
   * @throws ValidationFailed
   */
  async today(user: AccountUser, date: unknown): Promise<TodayView> {
    const today = await todayOf(this.dataSource, user, this.clock.now());
    const found = await readHistories(this.dataSource, user.userId);
    const asked = date === undefined ? today : civilDate(readDay('date', date, dayNumber(today) + 1));
    const { weekStart } = user;
    const inOrder = found.toSorted((one, other) => placeOf(one) - placeOf(other));
    const habits = await inShortTurns(inOrder, ({ habit, history }) => ({
      habit_id: habit.id,
      ...historyDay(history, { date: asked, today, weekStart }),
    }));
    return { date: asked, habits };
  }
}

/** Those without an order come last. Equal ones stay as they were read: the oldest first. */
function placeOf({ habit }: HabitWithHistory): number {
  return habit.order ?? Number.MAX_SAFE_INTEGER;
}
