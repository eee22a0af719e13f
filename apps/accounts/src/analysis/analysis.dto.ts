import { IntegerBetween, LIMITED_IN_WORDS, MaxCharacters, Optional } from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { dayNumber } from '@evenkeel/scoring';
import { existingDay } from '../habits/habit-rules';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, IsUUID, Matches } from 'class-validator';

/** As many as a request may name, and as many as one without names is about. */
export const MAX_HABITS_ASKED = 25;

/** Options of an analysis; all of them may be left out. */
export class AnalysisBody {
  @Optional() @IsUUID() habitId?: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    ...LIMITED_IN_WORDS,
    description: 'Not together with `habitId`',
  })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_HABITS_ASKED)
  @IsUUID(undefined, { each: true })
  habitIds?: string[];

  @Optional() @IntegerBetween(7, 365) windowDays?: number;
  @Optional() @IntegerBetween(7, 180) horizonDays?: number;

  @ApiProperty({ description: 'Local date, from 2000-01-01 to tomorrow', ...LIMITED_IN_WORDS })
  @Optional()
  @IsString()
  @Matches(/^\d{4}-\d{2}-\d{2}$/)
  asOf?: string;

  /** Stored texts are English: it changes nothing. */
  @Optional() @IsString() @MaxCharacters(35) locale?: string;
}

export class InsightsBody extends AnalysisBody {
  /** Moved into what the plan allows. */
  @Optional() @IsInt() limit?: number;
  @ApiProperty({ description: '`next_cursor` of the page before', ...LIMITED_IN_WORDS })
  @Optional()
  @IsString()
  cursor?: string;
}

/**
 * The habits that a body names, in its order, each once.
 * @returns undefined when it names none
 * @throws ValidationFailed
 */
export function habitIdsOf({ habitId, habitIds }: AnalysisBody): string[] | undefined {
  if (habitId !== undefined && habitIds !== undefined) {
    const message = 'must not be there together with habitId';
    throw new ValidationFailed([{ path: '/habitIds', code: 'conflict', message }]);
  }
  const named = habitId === undefined ? habitIds : [habitId];
  return named && [...new Set(named.map((id) => id.toLowerCase()))];
}

/** Nothing can be logged before it. */
const FIRST_DAY = dayNumber('2000-01-01');

/**
 * The day number of a local date that a request names.
 * @param latest the last day that it may name
 * @throws ValidationFailed unless there is such a day from 2000-01-01 on
 */
export function readDay(name: string, text: unknown, latest: number): number {
  const path = `/${name}`;
  const day = existingDay(text);
  if (day === undefined) {
    throw new ValidationFailed([{ path, code: 'bad_format', message: 'must be a date of the form YYYY-MM-DD' }]);
  }
  if (day < FIRST_DAY || day > latest) {
    throw new ValidationFailed([{ path, code: 'out_of_range', message: 'must be from 2000-01-01 to tomorrow' }]);
  }
  return day;
}
