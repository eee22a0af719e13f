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
import { LOG_STATUSES } from './stored-log';

const SCORE = { required: false, type: 'integer', minimum: 1, maximum: 10 } as const;
const RATE = { description: 'of PARTIAL: 0.5 unless given; COMPLETED is 1 and SKIPPED 0', ...LIMITED_IN_WORDS };
const TIME = { description: 'from 2000, at most 14 hours in the future', ...LIMITED_IN_WORDS };

export class LogBody {
  @ApiProperty({ format: 'date-time', ...TIME })
  @Instant()
  occurredAt!: string;

  @ApiProperty({ enum: LOG_STATUSES }) @IsIn(LOG_STATUSES) status!: LogStatus;
  @ApiProperty({ required: false, minimum: 0, maximum: 1, ...RATE })
  @Optional()
  @Ratio()
  completionRate?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 1440 })
  @Optional()
  @IntegerBetween(0, 1_440)
  durationMinutes?: number;

  @ApiProperty(SCORE) @Optional() @IntegerBetween(1, 10) moodScore?: number;
  @ApiProperty(SCORE) @Optional() @IntegerBetween(1, 10) energyScore?: number;
  @ApiProperty(SCORE) @Optional() @IntegerBetween(1, 10) stressScore?: number;

  @ApiProperty({ required: false, type: 'array', maxItems: 12, items: { type: 'string', maxLength: 32 } })
  @Optional()
  @Strings()
  @ArrayMaxSize(12)
  @MaxCharacters(32, { each: true })
  contextTags?: string[];

  @ApiProperty({ required: false, maxLength: 1024, description: 'for you alone' })
  @Optional()
  @IsString()
  @MaxCharacters(1_024)
  note?: string;

  @ApiProperty({
    required: false,
    format: 'uuid',
    description: 'yours: a repeat answers 200 with what is stored, 409 when it says something else',
  })
  @Optional()
  @IsUUID()
  clientId?: string;
}

/** A log of a batch, which names its habit. */
export class BatchedLogBody extends LogBody {
  @ApiProperty({ format: 'uuid' }) @IsUUID() habitId!: string;
}

/** A given member replaces the stored one; null clears. With a new `occurredAt` its day is decided again. */
export class ChangeLogBody {
  @ApiProperty({ required: false, format: 'date-time', ...TIME }) @Optional() @Instant() occurredAt?: string;
  @ApiProperty({ required: false, enum: LOG_STATUSES }) @Optional() @IsIn(LOG_STATUSES) status?: LogStatus;

  @ApiProperty({ required: false, nullable: true, type: Number, minimum: 0, maximum: 1, ...RATE })
  @Optional()
  @Nullable()
  @Ratio()
  completionRate?: number | null;

  @ApiProperty({ required: false, nullable: true, type: 'integer', minimum: 0, maximum: 1440 })
  @Optional()
  @Nullable()
  @IntegerBetween(0, 1_440)
  durationMinutes?: number | null;

  @ApiProperty({ ...SCORE, nullable: true }) @Optional() @Nullable() @IntegerBetween(1, 10) moodScore?: number | null;
  @ApiProperty({ ...SCORE, nullable: true }) @Optional() @Nullable() @IntegerBetween(1, 10) energyScore?: number | null;
  @ApiProperty({ ...SCORE, nullable: true }) @Optional() @Nullable() @IntegerBetween(1, 10) stressScore?: number | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: 'array',
    maxItems: 12,
    items: { type: 'string', maxLength: 32 },
  })
  @Optional()
  @Nullable()
  @Strings()
  @ArrayMaxSize(12)
  @MaxCharacters(32, { each: true })
  contextTags?: string[] | null;

  @ApiProperty({ required: false, nullable: true, type: String, maxLength: 1024 })
  @Optional()
  @Nullable()
  @IsString()
  @MaxCharacters(1_024)
  note?: string | null;
}
