import type { DayState, HistoryDay } from '@evenkeel/scoring';
import { ApiProperty } from '@nestjs/swagger';

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
