import { IsIn, IsString, ValidateBy } from 'class-validator';
import { IntegerBetween, Nullable, Optional, TrimmedText, LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { isTimeZone } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { WEEK_STARTS, type WeekStart } from './account-user';

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
