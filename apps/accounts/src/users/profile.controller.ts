import { Clock, isTimeZone } from '@evenkeel/kernel';
import { CurrentUser, NeedsDatabase, SignedInOnly, Refuses } from '@evenkeel/platform/auth';
import { JsonBody } from '@evenkeel/platform/validation';
import { Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiTags, ApiProperty } from '@nestjs/swagger';
import { DataSource, IsNull } from 'typeorm';
import { IsIn, IsString, ValidateBy } from 'class-validator';
import { IntegerBetween, Nullable, Optional, TrimmedText, LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { Answers, Operation } from '../operation';
import { type AccountUser, profileView, ProfileView, WEEK_STARTS, type WeekStart } from './account-user';
import { User } from './users.entities';
import { inTurn } from './turn-of-user';

/** As the document shows them. */
export const ZONE = { description: 'Name of a time zone, as in the IANA database', ...LIMITED_IN_WORDS };
export const LANGUAGE = {
  description: 'BCP 47',
  minLength: 2,
  maxLength: 35,
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
};

/** A zone of the IANA database, as the kernel takes it. */
export function TimeZone(): PropertyDecorator {
  return textThat('isTimeZone', 'must be a time zone of the IANA database', isTimeZone);
}

/** A language tag (BCP 47) of at most 35 characters. */
export function LanguageTag(): PropertyDecorator {
  return textThat('isLanguageTag', 'must be a language tag, such as en or pt-BR', (text) => LANGUAGE_TAG.test(text));
}

const LANGUAGE_TAG = new RegExp(`^(?=.{${LANGUAGE.minLength},${LANGUAGE.maxLength}}$)${LANGUAGE.pattern.slice(1)}`);

function textThat(name: string, message: string, holds: (text: string) => boolean): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && holds(value);
  const rule = ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
  const text = IsString();
  return (target, property) => {
    text(target, property);
    rule(target, property);
  };
}

/** The members to change; null clears a name or a zone. */
export class ProfileChanges {
  @Optional() @Nullable() @TrimmedText(1, 80) displayName?: string | null;
  @ApiProperty(ZONE) @Optional() @Nullable() @TimeZone() timezone?: string | null;
  @ApiProperty(LANGUAGE) @Optional() @LanguageTag() locale?: string;
  @Optional() @IntegerBetween(0, 1_439) dayStartMinutes?: number;
  @Optional() @IsIn(WEEK_STARTS) weekStart?: WeekStart;
}

@ApiTags('Sign-in')
@NeedsDatabase()
@SignedInOnly(['user'])
@Controller('v1/auth/me')
export class ProfileController {
  constructor(
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
  ) {}

  @Get()
  @Operation('Who is signed in', 'The user, their settings, and the session of this token.')
  @Answers(200, 'The user', { type: ProfileView })
  getProfile(@CurrentUser() user: AccountUser): ProfileView {
    return profileView(user, this.clock.now());
  }

  @Patch()
  @Operation(
    'Change name, zone, language, start of the day or of the week',
    'What is not sent stays as it is; null clears name and zone.',
  )
  @ApiBody({
    type: ProfileChanges,
    examples: { recorded: { value: { timezone: 'Europe/Madrid', weekStart: 'SUNDAY' } } },
  })
  @Answers(200, 'The user as they are now', { type: ProfileView })
  @Refuses({ 400: '`validation_failed`: such as a time zone that does not exist' })
  async changeProfile(@CurrentUser() user: AccountUser, @JsonBody() changes: ProfileChanges): Promise<ProfileView> {
    // What was sent and nothing else: two devices may change two things at once.
    const where = { id: user.userId, deletedAt: IsNull() };
    const isChange = Object.values(changes).some((value) => value !== undefined);
    const change = () => this.dataSource.manager.update(User, where, changes);
    if (isChange) await inTurn(this.dataSource, user.userId, change);
    const now = isChange && (await this.dataSource.manager.findOneBy(User, where));
    if (!now) return profileView(user, this.clock.now());
    const { displayName, timezone, locale, dayStartMinutes, weekStart } = now;
    return profileView({ ...user, displayName, timezone, locale, dayStartMinutes, weekStart }, this.clock.now());
  }
}
