import { randomBytes } from 'node:crypto';
import type { Tier } from '@evenkeel/contracts';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ACCESS_TOKEN_TYPE } from '@evenkeel/platform/auth';
import type { Es256Keys, SecretKey } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { AccountsConfig } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import { derivedToken, hashOfToken } from '../security/opaque-tokens';
import type { AccountUser } from '../users/account-user';
import type { AccessTokenView, TokenPair } from './token-views';

const REFRESH_PREFIX = 'hrr_';
const TOKEN_BYTES = 32;
const DAY_MS = 86_400_000;

export interface TokenSubject {
  userId: string;
  sessionId: string;
  tier: Tier;
  /** When the person gave their password. */
  signedInAt: Date;
}

/** A refresh token in its two forms, and the key that its successor will be derived with. */
export interface RefreshToken {
  /** For the answer only. */
  clear: string;
  /** SHA-256: what the row is found by. */
  hash: Buffer;
  keyId: string;
}

/** Makes access and refresh tokens and the answers that hold them; stores nothing. */
@Injectable()
export class IssueTokens {
  private readonly jwt = new JwtService({});
  private readonly signing: Es256Keys['signing'];
  private readonly refreshKeys: readonly [SecretKey, ...SecretKey[]];

  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
  ) {
    this.signing = config.accessKeys.signing;
    this.refreshKeys = config.refreshTokenKeys;
  }

  /** A JWT of ES256 for a session, valid for `ACCESS_TTL_SECONDS`. */
  accessToken({ userId, sessionId, tier, signedInAt }: TokenSubject): string {
    const now = this.clock.now();
    const iat = Math.floor(now.getTime() / 1_000);
    const claims = {
      sid: sessionId,
      tier,
      auth_time: Math.floor(signedInAt.getTime() / 1_000),
      iat,
      exp: iat + this.config.ACCESS_TTL_SECONDS,
    };
    const { kid, key: privateKey } = this.signing;
    return this.jwt.sign(claims, {
      privateKey,
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid },
      issuer: this.config.baseUrl,
      audience: 'v1',
      subject: userId,
      jwtid: uuidv7(now),
    });
  }

  /** The first of a family: random. */
  firstRefreshToken(): RefreshToken {
    return this.tokenOf(REFRESH_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url'));
  }

  /** The key that successors are derived with at present. */
  get presentKeyId(): string {
    return this.refreshKeys[0].kid;
  }

  /**
   * The successor of a token of a family: derived, so that it can be given again without being stored.
   * @param keyId as the row of the presented token names it
   * @returns null when that key is gone
   */
  successorOf(presented: string, keyId: string): RefreshToken | null {
    const key = this.refreshKeys.find(({ kid }) => kid === keyId);
    return key ? this.tokenOf(derivedToken(REFRESH_PREFIX, key, presented)) : null;
  }

  /** When a session ends that is refreshed now: `REFRESH_TTL_DAYS` from now, and no later than it may last. */
  expiryOf(endsAt: Date): Date {
    return new Date(Math.min(this.clock.now().getTime() + this.config.REFRESH_TTL_DAYS * DAY_MS, endsAt.getTime()));
  }

  /** For somebody whose session is live, with claims as they are now. */
  accessOf({ userId, sessionId, signedInAt, accessUntil }: AccountUser): AccessTokenView {
    return this.accessAnswer({ userId, sessionId, signedInAt, tier: tierAt(accessUntil, this.clock.now()) });
  }

  private accessAnswer(subject: TokenSubject): AccessTokenView {
    const accessToken = this.accessToken(subject);
    const expiresIn = this.config.ACCESS_TTL_SECONDS;
    return {
      accessToken,
      tokenType: 'Bearer',
      expiresIn,
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
    };
  }

  /** @param expiresAt of the session */
  pair(subject: TokenSubject, { clear: refreshToken }: Pick<RefreshToken, 'clear'>, expiresAt: Date): TokenPair {
    const refreshExpiresIn = Math.floor((expiresAt.getTime() - this.clock.now().getTime()) / 1_000);
    return { ...this.accessAnswer(subject), refreshToken, refreshExpiresIn, refresh_token: refreshToken };
  }

  private tokenOf(clear: string): RefreshToken {
    return { clear, hash: hashOfToken(clear), keyId: this.presentKeyId };
  }
}
