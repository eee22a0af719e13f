import { IntegerBetween, Nullable, Optional, TrimmedText } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { DataSource } from 'typeorm';
import { WEEK_STARTS, type AccountUser, type WeekStart } from './account-user';
import { LANGUAGE, LanguageTag, TimeZone, ZONE } from './profile-fields';

/** What to change; null clears a name or a zone. */
export class ProfileChanges {
  @ApiProperty({ type: String, nullable: true, required: false, minLength: 1, maxLength: 80 })
  @Optional()
  @Nullable()
  @TrimmedText(1, 80)
  displayName?: string | null;

  @ApiProperty({ type: String, nullable: true, required: false, ...ZONE })
  @Optional()
  @Nullable()
  @TimeZone()
  timezone?: string | null;

  @ApiProperty({ required: false, ...LANGUAGE }) @Optional() @LanguageTag() locale?: string;
  @ApiProperty({ required: false, minimum: 0, maximum: 1_439 })
  @Optional()
  @IntegerBetween(0, 1_439)
  dayStartMinutes?: number;

  @ApiProperty({ required: false, enum: WEEK_STARTS }) @Optional() @IsIn(WEEK_STARTS) weekStart?: WeekStart;
}

const COLUMNS = {
  displayName: 'display_name',
  timezone: 'timezone',
  locale: 'locale',
  dayStartMinutes: 'day_start_minutes',
  weekStart: 'week_start',
} as const;

/** Changes what people say of themselves. */
@Injectable()
export class ChangeProfile {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Writes what was sent and nothing else: two devices may change two things at once.
   * @returns the user as they are now
   */
  async execute(user: AccountUser, changes: ProfileChanges): Promise<AccountUser> {
    const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
    const changed = names.filter((name) => changes[name] !== undefined);
    if (changed.length === 0) return user;
    const assignments = changed.map((name, index) => `${COLUMNS[name]} = $${index + 2}`);
    const shown = names.map((name) => `${COLUMNS[name]} AS "${name}"`);
    const [[now]] = await this.dataSource.query<[Partial<AccountUser>[], number]>(
      `UPDATE users SET ${assignments.join(', ')} WHERE id = $1 AND deleted_at IS NULL RETURNING ${shown.join(', ')}`,
      [user.userId, ...changed.map((name) => changes[name])],
    );
    return { ...user, ...now };
  }
}
