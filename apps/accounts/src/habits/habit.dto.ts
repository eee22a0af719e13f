import { IsIn, IsString, IsUUID, Matches } from 'class-validator';
import {
  Instant,
  IntegerBetween,
  LIMITED_IN_WORDS,
  MaxCharacters,
  Nullable,
  Optional,
  TrimmedText,
} from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { CADENCES, type Cadence } from './habit.entity';

const COLOR = /^#[0-9a-fA-F]{6}$/;
/** Of PostgreSQL. */
const [LEAST_ORDER, MOST_ORDER] = [-(2 ** 31), 2 ** 31 - 1] as const;
const ORDER = { minimum: LEAST_ORDER, maximum: MOST_ORDER, description: 'yours: small ones first' };

const MASK = 'bit 0 (value 1) is Monday, bit 6 (value 64) Sunday; 0 means no fixed days';

export class CreateHabitBody {
  @ApiProperty({ minLength: 2, maxLength: 120, description: 'counted without the white space around it' })
  @TrimmedText(2, 120)
  name!: string;

  @ApiProperty({ required: false, maxLength: 512 }) @Optional() @IsString() @MaxCharacters(512) description?: string;
  @ApiProperty({ required: false, maxLength: 64 }) @Optional() @IsString() @MaxCharacters(64) category?: string;
  @ApiProperty({ required: false, enum: CADENCES }) @Optional() @IsIn(CADENCES) cadence?: Cadence;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 14 })
  @Optional()
  @IntegerBetween(1, 14)
  targetPerWeek?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 127, description: MASK })
  @Optional()
  @IntegerBetween(0, 127)
  targetDaysMask?: number;

  @ApiProperty({
    required: false,
    format: 'date-time',
    ...LIMITED_IN_WORDS,
    description: 'from 2000 to 2099; work before it earns nothing',
  })
  @Optional()
  @Instant()
  startDate?: string;

  @ApiProperty({ required: false, type: 'integer', ...ORDER })
  @Optional()
  @IntegerBetween(LEAST_ORDER, MOST_ORDER)
  order?: number;

  @ApiProperty({ required: false, description: '#rrggbb' }) @Optional() @IsString() @Matches(COLOR) color?: string;

  @ApiProperty({
    required: false,
    format: 'uuid',
    description: 'yours: a repeat answers 200 with what is stored, 409 when it says something else',
  })
  @Optional()
  @IsUUID()
  clientId?: string;
}

/** Whatever is given of a schedule makes a new one, by the rules of creation. */
export class ChangeHabitBody {
  @ApiProperty({ required: false, minLength: 2, maxLength: 120 }) @Optional() @TrimmedText(2, 120) name?: string;

  @ApiProperty({ required: false, nullable: true, type: String, maxLength: 512 })
  @Optional()
  @Nullable()
  @IsString()
  @MaxCharacters(512)
  description?: string | null;

  @ApiProperty({ required: false, nullable: true, type: String, maxLength: 64 })
  @Optional()
  @Nullable()
  @IsString()
  @MaxCharacters(64)
  category?: string | null;

  @ApiProperty({ required: false, enum: CADENCES }) @Optional() @IsIn(CADENCES) cadence?: Cadence;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 14 })
  @Optional()
  @IntegerBetween(1, 14)
  targetPerWeek?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 127, description: MASK })
  @Optional()
  @IntegerBetween(0, 127)
  targetDaysMask?: number;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'date-time',
    ...LIMITED_IN_WORDS,
    description: 'from 2000 to 2099; null: the moment of its creation',
  })
  @Optional()
  @Nullable()
  @Instant()
  startDate?: string | null;

  @ApiProperty({ required: false, nullable: true, type: 'integer', ...ORDER })
  @Optional()
  @Nullable()
  @IntegerBetween(LEAST_ORDER, MOST_ORDER)
  order?: number | null;

  @ApiProperty({ required: false, nullable: true, type: String, description: '#rrggbb' })
  @Optional()
  @Nullable()
  @IsString()
  @Matches(COLOR)
  color?: string | null;
}
