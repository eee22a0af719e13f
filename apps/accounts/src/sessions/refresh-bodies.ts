import { LIMITED_IN_WORDS, MaxCharacters, Optional } from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

const LONGEST = 256;

/** A refresh token under either of its two names. */
export class RefreshTokenBody {
  @ApiProperty({
    ...{ required: false, ...LIMITED_IN_WORDS },
    description: 'As the answer to signing in has it; this or the other must be there',
  })
  @Optional()
  @IsString()
  @MaxCharacters(LONGEST)
  refreshToken?: string;

  @ApiProperty({ required: false, description: 'The same under its other name' })
  @Optional()
  @IsString()
  @MaxCharacters(LONGEST)
  refresh_token?: string;

  /** Null when neither was sent. */
  static tokenOf({ refreshToken, refresh_token: other }: RefreshTokenBody): string | null {
    return refreshToken ?? other ?? null;
  }
}

/** The body has no token. */
export function tokenRequired(): ValidationFailed {
  return new ValidationFailed([{ path: '/refreshToken', code: 'required', message: 'is required' }]);
}
