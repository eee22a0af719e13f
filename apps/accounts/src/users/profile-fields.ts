import { isTimeZone } from '@evenkeel/kernel';
import { IsString, ValidateBy } from 'class-validator';

/** A zone of the IANA database, as the kernel takes it. */
export function TimeZone(): PropertyDecorator {
  return textThat('isTimeZone', 'must be a time zone of the IANA database', isTimeZone);
}

/** A language tag (BCP 47) of at most 35 characters. */
export function LanguageTag(): PropertyDecorator {
  return textThat('isLanguageTag', 'must be a language tag, such as en or pt-BR', (text) => LANGUAGE_TAG.test(text));
}

const LANGUAGE_TAG = /^(?=.{2,35}$)[a-z]{2,8}(-[a-z0-9]{1,8})*$/i;

function textThat(name: string, message: string, holds: (text: string) => boolean): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && holds(value);
  const rule = ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
  const text = IsString();
  return (target, property) => {
    text(target, property);
    rule(target, property);
  };
}
