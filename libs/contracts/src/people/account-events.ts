import { IsIn, IsUUID, Matches } from 'class-validator';
import { Count, Instant, IntegerBetween, MAX_INTEGER, Nullable, Strings } from '../schema/field.decorators';

/** Events of accounts about people; the key is the user. None holds an address, a name, a note or a token. */
export const ACCOUNTS_STREAM = 'evenkeel.accounts.v1';

/** Somebody made an account. */
export class UserRegistered {
  static readonly type = 'user.registered';
  static readonly stream = ACCOUNTS_STREAM;

  @IsUUID() userId!: string;
  @Instant() registeredAt!: string;
}

/** The person has shown that their mail address is theirs. */
export class UserVerified {
  static readonly type = 'user.verified';
  static readonly stream = ACCOUNTS_STREAM;

  @IsUUID() userId!: string;
  @Instant() verifiedAt!: string;
}

/** The account is gone: the subscription must end, and every session of it has. */
export class UserDeleted {
  static readonly type = 'user.deleted';
  static readonly stream = ACCOUNTS_STREAM;

  @IsUUID() userId!: string;
  /** Proof of the deletion, which the person has. */
  @IsUUID() receiptId!: string;
  @Instant() deletedAt!: string;
}

/** Sessions ended before their time: their access tokens are not valid any more. */
export class SessionRevoked {
  static readonly type = 'session.revoked';
  static readonly stream = ACCOUNTS_STREAM;

  @IsUUID() userId!: string;
  @Strings() sessionIds!: string[];
  /** When the last access token of these sessions ends by itself: until then their ids are to be remembered. */
  @Instant() accessTokensUntil!: string;
  @Instant() revokedAt!: string;
}

const METERED_FEATURES = ['analyses'] as const;

/** The usage of a user in a month: the whole state, with a version. */
export class UsageMetered {
  static readonly type = 'usage.metered';
  static readonly stream = ACCOUNTS_STREAM;

  @IsUUID() userId!: string;
  @IsIn(METERED_FEATURES) feature!: (typeof METERED_FEATURES)[number];
  /** UTC month, `YYYY-MM`. */
  @Matches(/^\d{4}-(0[1-9]|1[0-2])$/) period!: string;
  @Count() used!: number;
  /** Null without limit. */
  @Nullable() @Count() limit!: number | null;
  /** Counts up for the user, feature and period; a reader applies only a greater one. */
  @IntegerBetween(1, MAX_INTEGER) version!: number;
  @Instant() meteredAt!: string;
}
