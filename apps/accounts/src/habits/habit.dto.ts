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
import { CLIENT_ID } from './record-version';

const COLOR = /^#[0-9a-fA-F]{6}$/;
/** Of PostgreSQL. */
const [LEAST_ORDER, MOST_ORDER] = [-(2 ** 31), 2 ** 31 - 1] as const;

// The document has the rules of each member; only words that no rule says stand beside them.
const ORDER = { description: 'yours: small ones first' };
const MASK = { description: 'bit 0 (value 1) is Monday, bit 6 (value 64) Sunday; 0 means no fixed days' };
const START = { format: 'date-time', ...LIMITED_IN_WORDS };

export class CreateHabitBody {
  @ApiProperty({ description: 'counted without the white space around it' }) @TrimmedText(2, 120) name!: string;
  @Optional() @IsString() @MaxCharacters(512) description?: string;
  @Optional() @IsString() @MaxCharacters(64) category?: string;
  @Optional() @IsIn(CADENCES) cadence?: Cadence;
  @Optional() @IntegerBetween(1, 14) targetPerWeek?: number;
  @ApiProperty(MASK) @Optional() @IntegerBetween(0, 127) targetDaysMask?: number;
  @ApiProperty({ ...START, description: 'from 2000 to 2099; work before it earns nothing' })
  @Optional()
  @Instant()
  startDate?: string;

  @ApiProperty(ORDER) @Optional() @IntegerBetween(LEAST_ORDER, MOST_ORDER) order?: number;
  @ApiProperty({ description: '#rrggbb' }) @Optional() @IsString() @Matches(COLOR) color?: string;
  @ApiProperty({ format: 'uuid', description: CLIENT_ID }) @Optional() @IsUUID() clientId?: string;
}

/** Whatever is given of a schedule makes a new one, by the rules of creation. */
export class ChangeHabitBody {
  @Optional() @TrimmedText(2, 120) name?: string;
  @Optional() @Nullable() @IsString() @MaxCharacters(512) description?: string | null;
  @Optional() @Nullable() @IsString() @MaxCharacters(64) category?: string | null;
  @Optional() @IsIn(CADENCES) cadence?: Cadence;
  @Optional() @IntegerBetween(1, 14) targetPerWeek?: number;
  @ApiProperty(MASK) @Optional() @IntegerBetween(0, 127) targetDaysMask?: number;
  @ApiProperty({ ...START, description: 'from 2000 to 2099; null: the moment of its creation' })
  @Optional()
  @Nullable()
  @Instant()
  startDate?: string | null;

  @ApiProperty(ORDER) @Optional() @Nullable() @IntegerBetween(LEAST_ORDER, MOST_ORDER) order?: number | null;
  @ApiProperty({ description: '#rrggbb' }) @Optional() @Nullable() @IsString() @Matches(COLOR) color?: string | null;
}
