import type { HistoryStats } from '@evenkeel/scoring';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

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

  static of(habitId: string, stats: HistoryStats): StatsView {
    return { habit_id: habitId, ...stats };
  }
}
