import { habitStats, type WeekStart } from '@evenkeel/scoring';
import { ApiProperty } from '@nestjs/swagger';
import { CADENCES, type Cadence } from './habit.entity';
import type { HabitWithHistory } from './read-habits';

export class HabitStatsView {
  @ApiProperty({ minimum: 0, maximum: 1, description: 'of the last 90 days' }) completionRate!: number;
  @ApiProperty({ type: 'integer' }) currentStreak!: number;
  @ApiProperty({ type: 'integer' }) bestStreak!: number;
  @ApiProperty({ enum: ['day', 'week'] }) streakUnit!: 'day' | 'week';
  @ApiProperty({ minimum: 0, maximum: 1, description: 'how settled the habit is; slow' }) strength!: number;
  @ApiProperty({ type: 'integer', description: 'skips that would still be excused' }) skipBudgetRemaining!: number;
  @ApiProperty({ nullable: true, type: String, format: 'date-time', description: 'newest `occurredAt` of its logs' })
  lastLogAt!: string | null;
}

/** A habit as every answer shows it. */
export class HabitView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ nullable: true, type: String, format: 'uuid', description: 'yours, as you sent it' })
  clientId!: string | null;
  @ApiProperty() name!: string;
  @ApiProperty({ nullable: true, type: String }) description!: string | null;
  @ApiProperty({ nullable: true, type: String }) category!: string | null;
  @ApiProperty({ enum: CADENCES }) cadence!: Cadence;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 14 }) targetPerWeek!: number;
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 127, description: 'bit 0 is Monday; 0: no fixed days' })
  targetDaysMask!: number;
  @ApiProperty({ format: 'date-time' }) startDate!: string;
  @ApiProperty({ nullable: true, type: 'integer', description: 'yours: small ones first' }) order!: number | null;
  @ApiProperty({ nullable: true, type: String, pattern: '^#[0-9a-f]{6}$' }) color!: string | null;
  @ApiProperty({ enum: ['ACTIVE', 'ARCHIVED'] }) status!: 'ACTIVE' | 'ARCHIVED';
  @ApiProperty({ nullable: true, type: String, format: 'date-time' }) archivedAt!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;
  @ApiProperty() stats!: HabitStatsView;

  /** @param viewpoint asOf: today where the person is */
  static of(
    { habit, history, lastLogAt }: HabitWithHistory,
    { asOf, weekStart }: { asOf: string; weekStart: WeekStart },
  ): HabitView {
    const { startDay: _, startGiven: __, startDate, archivedAt, createdAt, updatedAt, ...shown } = habit;
    return {
      ...shown,
      startDate: startDate.toISOString(),
      status: archivedAt ? 'ARCHIVED' : 'ACTIVE',
      archivedAt: archivedAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      stats: Object.assign(habitStats(history, asOf, weekStart), { lastLogAt: lastLogAt?.toISOString() ?? null }),
    };
  }
}

export class HabitListView {
  @ApiProperty({ type: [HabitView], description: 'oldest first' }) habits!: HabitView[];
  @ApiProperty({ type: 'integer' }) count!: number;
}
