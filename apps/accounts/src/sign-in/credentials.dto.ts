import { MaxCharacters, Optional, TrimmedText } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, ValidateBy } from 'class-validator';
import { mailAddressKey } from '../security/mail-address';
import { NewPassword, PASSWORD_LENGTH } from '../security/new-password';
import { LANGUAGE, LanguageTag, TimeZone, ZONE } from '../users/profile.controller';

/** One address of mail, at most 254 characters, without the white space around it. */
export function MailAddress(): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && mailAddressKey(text.trim()) !== null;
  const defaultMessage = () => '$property must be an e-mail address';
  const trimmed = TrimmedText(3, 254);
  const formed = ValidateBy({ name: 'isMailAddress', validator: { validate, defaultMessage } });
  return (target, property) => {
    trimmed(target, property);
    formed(target, property);
  };
}

const LENGTH = { minLength: PASSWORD_LENGTH.minimum, maxLength: PASSWORD_LENGTH.maximum };

export class RegisterBody {
  @ApiProperty({ format: 'email' }) @MailAddress() email!: string;
  @ApiProperty({ format: 'password', ...LENGTH }) @NewPassword() password!: string;
  @Optional() @TrimmedText(1, 80) displayName?: string;
  @ApiProperty(ZONE) @Optional() @TimeZone() timezone?: string;
  @ApiProperty(LANGUAGE) @Optional() @LanguageTag() locale?: string;
}

/** Any password may be tried: one of an impossible length is a wrong one. */
const TRIED_MOST = 1_024;

export class LoginBody {
  @ApiProperty({ format: 'email' }) @MailAddress() email!: string;
  @ApiProperty({ format: 'password' }) @IsString() @MaxCharacters(TRIED_MOST) password!: string;
}

export class ChangePasswordBody {
  @ApiProperty({ format: 'password' }) @IsString() @MaxCharacters(TRIED_MOST) currentPassword!: string;
  @ApiProperty({ format: 'password', ...LENGTH }) @NewPassword() newPassword!: string;
}
