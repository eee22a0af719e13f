import { IsString } from 'class-validator';
import { LIMITED_IN_WORDS, MaxCharacters, Optional } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { UserView } from '../users/account-user';

/** A new access token, in the names of both conventions. */
export class AccessTokenView {
  @ApiProperty({ description: 'JWT, for the header `Authorization: Bearer`' }) readonly accessToken!: string;
  @ApiProperty({ enum: ['Bearer'] }) readonly tokenType!: 'Bearer';
  @ApiProperty({ type: 'integer', description: 'Seconds' }) readonly expiresIn!: number;
  @ApiProperty({ description: 'The same as accessToken' }) readonly access_token!: string;
  @ApiProperty({ enum: ['Bearer'] }) readonly token_type!: 'Bearer';
  @ApiProperty({ type: 'integer', description: 'The same as expiresIn' }) readonly expires_in!: number;
}

/** The answer to a refresh. */
export class TokenPair extends AccessTokenView {
  @ApiProperty({ description: 'Gets the next pair, once' }) readonly refreshToken!: string;
  @ApiProperty({ type: 'integer', description: 'Seconds until the session ends unless it is refreshed' })
  readonly refreshExpiresIn!: number;
  @ApiProperty({ description: 'The same as refreshToken' }) readonly refresh_token!: string;
}

/** The answer to signing in. */
export class SignedInView extends TokenPair {
  @ApiProperty({ type: UserView }) readonly user!: UserView;
}

const LONGEST = 256;

/** A refresh token under either of its two names. */
export class RefreshTokenBody {
  @ApiProperty({
    ...LIMITED_IN_WORDS,
    description: 'As the answer to signing in has it; this or the other must be there',
  })
  @Optional()
  @IsString()
  @MaxCharacters(LONGEST)
  refreshToken?: string;

  @ApiProperty({ description: 'The same under its other name' })
  @Optional()
  @IsString()
  @MaxCharacters(LONGEST)
  refresh_token?: string;

  /** Null when neither was sent. */
  static tokenOf({ refreshToken, refresh_token: other }: RefreshTokenBody): string | null {
    return refreshToken ?? other ?? null;
  }
}
