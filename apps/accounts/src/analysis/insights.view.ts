import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RedactedView } from '../entitlements/plan-refusals';

export class InsightPeriodView {
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
}

export class InsightView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ enum: ['streak', 'adherence', 'risk', 'schedule', 'correlation'] }) kind!: string;
  @ApiProperty({ description: 'open list' }) code!: string;
  @ApiProperty({ enum: ['info', 'warning'] }) severity!: string;
  @ApiProperty({ description: 'the code in words' }) title!: string;
  @ApiProperty() body!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'the numbers behind it; members depend on the code',
  })
  evidence!: Readonly<Record<string, number | string>>;
  @ApiProperty() period!: InsightPeriodView;
  @ApiProperty({ description: 'whether Free shows it' }) free_readable!: boolean;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

/** A row of `insights` with the name of its habit. */
export interface InsightRow extends Omit<InsightView, 'period' | 'created_at'> {
  from: string;
  to: string;
  created_at: Date;
  /** Microseconds since 1970 of `created_at`. */
  atMicros: string;
}

interface Page {
  limit: number;
  requested: number;
  nextCursor: string | null;
  /** Whether everything may be read. */
  isWhole: boolean;
}

export class InsightsView {
  @ApiProperty({ type: [InsightView], description: 'newest first' }) insights!: InsightView[];
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'as asked, or its default' }) requested_limit!: number;
  @ApiProperty({ description: 'whether the plan or the range gives another limit than was asked for' })
  clamped!: boolean;
  @ApiProperty({
    nullable: true,
    type: String,
    description: '`cursor` of the next page; null on the last, and on Free',
  })
  next_cursor!: string | null;
  @ApiPropertyOptional({ description: 'Free only' }) redacted?: RedactedView;

  static of(rows: readonly InsightRow[], { limit, requested, nextCursor, isWhole }: Page): InsightsView {
    return {
      insights: rows.map(insightView),
      limit,
      requested_limit: requested,
      clamped: limit !== requested,
      next_cursor: nextCursor,
      ...(!isWhole && { redacted: RedactedView.of('full_insight_history') }),
    };
  }
}

function insightView(row: InsightRow): InsightView {
  const { id, habit_id, habit, kind, code, severity, title, body, evidence, from, to, free_readable, created_at } = row;
  return {
    ...{ id, habit_id, habit, kind, code, severity, title, body, evidence },
    period: { from, to },
    free_readable,
    created_at: created_at.toISOString(),
  };
}
