import {
  type Es256Keys,
  es256KeysOf,
  IsCrashPoint,
  IsEs256Keys,
  IsRate,
  IsSecretKeys,
  type Rate,
  scaled,
  Secret,
  type SecretKey,
  secretKeysOf,
  ServiceConfig,
} from '@evenkeel/platform/config';
import {
  CONSUMER_CRASH_POINTS,
  RELAY_CRASH_POINTS,
  type ConsumerCrashPoint,
  type RelayCrashPoint,
} from '@evenkeel/platform/messaging';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, Min, ValidateBy, ValidateIf } from 'class-validator';

/** The steps of accounts' own at which tests let the process die. */
export const CRASH_POINTS = ['before_commit', 'after_commit', 'imported_half', 'erased_half', 'mail_sent'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number] | RelayCrashPoint | ConsumerCrashPoint;

/** An integer; less than `inProduction` would be guessed faster than is good for people: only tests take less. */
function HashCost(least: number, most: number, inProduction: number): PropertyDecorator {
  const number = [Type(() => Number), IsInt(), Min(least), Max(most)];
  const enough = ValidateBy({
    name: 'atLeastInProduction',
    validator: {
      validate: (value, args) =>
        (args?.object as { NODE_ENV?: string }).NODE_ENV !== 'production' || Number(value) >= inProduction,
      defaultMessage: () => `$property must be at least ${inProduction} when NODE_ENV=production`,
    },
  });
  return (target, property) => [...number, enough].forEach((decorate) => decorate(target, property));
}

/** Everything accounts reads from the environment. Names carry their unit. */
export class AccountsConfig extends ServiceConfig {
  override PORT = 3001;
  @IsRate() RATE_DISCOVERY: Rate = { limit: 600, windowSeconds: 60 };
  @IsRate() RATE_USER: Rate = { limit: 300, windowSeconds: 60 };
  @IsRate() RATE_ANALYSIS: Rate = { limit: 60, windowSeconds: 60 };
  @IsRate() RATE_REGISTER: Rate = { limit: 20, windowSeconds: 60 };
  @IsRate() RATE_LOGIN: Rate = { limit: 60, windowSeconds: 60 };
  /** Wrong passwords for an address from one caller. */
  @IsRate() RATE_LOGIN_FAILURES: Rate = { limit: 10, windowSeconds: 900 };
  /** The same from anywhere: from then on only callers may try from where the account was signed in before. */
  @IsRate() RATE_LOGIN_FAILURES_ANYWHERE: Rate = { limit: 100, windowSeconds: 3_600 };
  /** By a refresh token, which may be any text. */
  @IsRate() RATE_LOGOUT: Rate = { limit: 60, windowSeconds: 60 };
  @IsRate() RATE_REFRESH: Rate = { limit: 30, windowSeconds: 60 };
  @IsRate() RATE_MAIL: Rate = { limit: 20, windowSeconds: 3_600 };
  /** Mails that one account is asked for: without sign-in, and as many by its own person. */
  @IsRate() RATE_MAIL_ACCOUNT: Rate = { limit: 3, windowSeconds: 900 };
  @IsRate() RATE_IMPORT: Rate = { limit: 10, windowSeconds: 3_600 };
  @IsRate() RATE_EXPORT: Rate = { limit: 5, windowSeconds: 3_600 };

  /** `kid:base64` of 32 bytes, comma-separated; the first signs access tokens, all are published. */
  @Secret() @IsEs256Keys() JWT_KEYS!: string;
  /** `kid:base64` of 32 bytes, comma-separated; the first derives new tokens of refreshes and mails. */
  @Secret() @IsSecretKeys() REFRESH_TOKEN_KEYS!: string;
  @Type(() => Number) @IsInt() @Min(30) @Max(3_600) ACCESS_TTL_SECONDS = 900;
  /** A session ends so long after its last refresh, and at the latest `SESSION_MAX_DAYS` after sign-in. */
  @Type(() => Number) @IsInt() @Min(1) @Max(365) REFRESH_TTL_DAYS = 30;
  @Type(() => Number) @IsInt() @Min(1) @Max(3_650) SESSION_MAX_DAYS = 90;

  @HashCost(8, 1_048_576, 19_456) ARGON2_MEMORY_KIB = 19_456;
  @HashCost(1, 100, 2) ARGON2_PASSES = 2;
  @HashCost(1, 16, 1) ARGON2_LANES = 1;

  /** Passwords that were published elsewhere, in the order and form of Pwned Passwords; without it a list of common ones. */
  @IsOptional() @IsString() BREACH_LIST_FILE?: string;
  /** The least count in that list that refuses a password. */
  @Type(() => Number) @IsInt() @Min(1) BREACH_THRESHOLD = 1;

  /** Sends mails; the word `none` sends none. Unset, which production refuses: they are shown at `/dev/mails`. */
  @Secret()
  @ValidateIf(({ NODE_ENV, SMTP_URL }: AccountsConfig) => NODE_ENV === 'production' || SMTP_URL !== undefined)
  @Matches(/^(none|smtps?:\/\/(?!\S*[?&](logger|debug|transactionLog)=)\S+)$/, {
    message: '$property must be an smtp:// or smtps:// address that logs nothing, or the word none',
  })
  SMTP_URL?: string;
  @Matches(/^[^@\s][^@\r\n]*@[^@\s]+$/, { message: '$property must be an address, with or without a name before it' })
  MAIL_FROM = 'Evenkeel <no-reply@localhost>';
  /** Pages of an app that take the links of mails; without it our own do. Ends in a slash. */
  @IsOptional()
  @Matches(/^https?:\/\/[^\s?#]+\/$/, { message: '$property must be an http(s) address that ends in a slash' })
  APP_LINK_BASE?: string;

  /** For tests, as `accounts:<step>`: the process kills itself at this step. */
  @IsCrashPoint('accounts', [...CRASH_POINTS, ...RELAY_CRASH_POINTS, ...CONSUMER_CRASH_POINTS])
  CRASH_AT?: CrashPoint;

  /** The limits of routes, by the names that `@LimitedBy` uses. */
  get rates() {
    const scale = (rate: Rate) => scaled(rate, this.RATE_LIMIT_SCALE);
    return {
      discovery: scale(this.RATE_DISCOVERY),
      user: scale(this.RATE_USER),
      analysis: scale(this.RATE_ANALYSIS),
      register: scale(this.RATE_REGISTER),
      login: scale(this.RATE_LOGIN),
      loginFailures: scale(this.RATE_LOGIN_FAILURES),
      loginFailuresAnywhere: scale(this.RATE_LOGIN_FAILURES_ANYWHERE),
      logout: scale(this.RATE_LOGOUT),
      refresh: scale(this.RATE_REFRESH),
      mail: scale(this.RATE_MAIL),
      // A window of their own: a caller who asks without sign-in from the same address does not use it up.
      ownMail: scale(this.RATE_MAIL),
      import: scale(this.RATE_IMPORT),
      export: scale(this.RATE_EXPORT),
    };
  }

  get mailsOfAccount(): Rate {
    return scaled(this.RATE_MAIL_ACCOUNT, this.RATE_LIMIT_SCALE);
  }

  get sendsMails(): boolean {
    return this.SMTP_URL !== undefined && this.SMTP_URL !== 'none';
  }

  /** Whether they are shown in place of being sent. */
  get showsMails(): boolean {
    return this.SMTP_URL === undefined;
  }

  get accessKeys(): Es256Keys {
    return es256KeysOf(this.JWT_KEYS);
  }

  get refreshTokenKeys(): readonly [SecretKey, ...SecretKey[]] {
    return secretKeysOf(this.REFRESH_TOKEN_KEYS);
  }
}
