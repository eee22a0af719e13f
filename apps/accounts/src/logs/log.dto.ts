import { ArrayMaxSize, IsIn, IsString, IsUUID } from 'class-validator';
import {
  Instant,
  IntegerBetween,
  LIMITED_IN_WORDS,
  MaxCharacters,
  Nullable,
  Optional,
  Ratio,
  Strings,
} from '@evenkeel/contracts';
import type { LogStatus } from '@evenkeel/scoring';
import { ApiProperty } from '@nestjs/swagger';
import { CLIENT_ID } from '../habits/record-version';
import { LOG_STATUSES } from './stored-log';

// The document has the rules of each member; only words that no rule says stand beside them.
const RATE = { description: 'of PARTIAL: 0.5 unless given; COMPLETED is 1 and SKIPPED 0', ...LIMITED_IN_WORDS };
const TIME = { format: 'date-time', description: 'from 2000, at most 14 hours in the future', ...LIMITED_IN_WORDS };

export class LogBody {
  @ApiProperty(TIME) @Instant() occurredAt!: string;
  @IsIn(LOG_STATUSES) status!: LogStatus;
  @ApiProperty(RATE) @Optional() @Ratio() completionRate?: number;
  @Optional() @IntegerBetween(0, 1_440) durationMinutes?: number;
  @Optional() @IntegerBetween(1, 10) moodScore?: number;
  @Optional() @IntegerBetween(1, 10) energyScore?: number;
  @Optional() @IntegerBetween(1, 10) stressScore?: number;
  @Optional() @Strings() @ArrayMaxSize(12) @MaxCharacters(32, { each: true }) contextTags?: string[];
  @ApiProperty({ description: 'for you alone' }) @Optional() @IsString() @MaxCharacters(1_024) note?: string;
  @ApiProperty({ format: 'uuid', description: CLIENT_ID }) @Optional() @IsUUID() clientId?: string;
}

/** A log of a batch, which names its habit. */
export class BatchedLogBody extends LogBody {
  @IsUUID() habitId!: string;
}

/** A given member replaces the stored one; null clears. With a new `occurredAt` its day is decided again. */
export class ChangeLogBody {
  @ApiProperty(TIME) @Optional() @Instant() occurredAt?: string;
  @Optional() @IsIn(LOG_STATUSES) status?: LogStatus;
  @ApiProperty(RATE) @Optional() @Nullable() @Ratio() completionRate?: number | null;
  @Optional() @Nullable() @IntegerBetween(0, 1_440) durationMinutes?: number | null;
  @Optional() @Nullable() @IntegerBetween(1, 10) moodScore?: number | null;
  @Optional() @Nullable() @IntegerBetween(1, 10) energyScore?: number | null;
  @Optional() @Nullable() @IntegerBetween(1, 10) stressScore?: number | null;
  @Optional() @Nullable() @Strings() @ArrayMaxSize(12) @MaxCharacters(32, { each: true }) contextTags?: string[] | null;
  @Optional() @Nullable() @IsString() @MaxCharacters(1_024) note?: string | null;
}
