import { characterCount } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { IsString, ValidateBy } from 'class-validator';

/** Characters of a password, as code points. */
export const PASSWORD_LENGTH = { minimum: 8, maximum: 128 } as const;

export class PasswordBreached extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'password_breached';
  constructor() {
    super(
      'This password is too easy to guess: it was published, repeats one character, or is your address. Choose another.',
    );
  }
}

/** The same password however a keyboard composes its letters. */
export function normalizedPassword(password: string): string {
  return password.normalize('NFKC');
}

/** A password that somebody chooses: 8 to 128 characters of any kind, in its normal form. */
export function NewPassword(): PropertyDecorator {
  const { minimum, maximum } = PASSWORD_LENGTH;
  const fits = (length: number) => length >= minimum && length <= maximum;
  const validate = (text: unknown) => typeof text === 'string' && fits(characterCount(normalizedPassword(text)));
  const sized = ValidateBy({ name: 'normalizedLength', constraints: [minimum, maximum], validator: { validate } });
  const text = IsString();
  return (target, property) => {
    text(target, property);
    sized(target, property);
  };
}
