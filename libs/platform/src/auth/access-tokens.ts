import type { KeyObject } from 'node:crypto';
import { Clock } from '@evenkeel/kernel';
import { Unauthorized } from '../http';
import { JwtService } from '@nestjs/jwt';

/** The claims of an access token. */
export interface AccessClaims {
  /** The user. */
  sub: string;
  /** The session. */
  sid: string;
  jti: string;
  iat: number;
  exp: number;
  /** When the person gave a password, in seconds since 1970. */
  auth_time: number;
  /** For display; decides nothing. */
  tier?: string;
}

/** Where the public keys of access tokens come from. */
export abstract class AccessKeys {
  /** @returns null for a key that is not known */
  abstract keyOf(kid: string): Promise<KeyObject | null>;
}

interface AccessTokenTerms {
  /** `iss`: base address of the product. */
  issuer: string;
  /** `aud`: the surface that the tokens are for. */
  audience: string;
}

/** The head of our tokens (RFC 9068). */
export const ACCESS_TOKEN_TYPE = 'at+jwt';
const ALGORITHM = 'ES256';
/** Clocks may differ by so much. */
export const ACCESS_LEEWAY_SECONDS = 30;
const MAX_CHARACTERS = 2_048;

/** Checks access tokens: signature, algorithm, type, issuer, audience and time. Whether the session still lives is not said here. */
export class AccessTokens {
  private readonly jwt = new JwtService({});

  constructor(
    private readonly keys: AccessKeys,
    private readonly terms: AccessTokenTerms,
    private readonly clock: Clock,
  ) {}

  /** @throws Unauthorized for everything but a token of ours that is valid now */
  async claimsOf(token: string): Promise<AccessClaims> {
    const kid = keyNameOf(token);
    const key = kid === null ? null : await this.keys.keyOf(kid);
    const claims = key && (await this.verified(token, key));
    if (!claims || !hasAll(claims)) throw new Unauthorized();
    return claims;
  }

  /** Null for a token that is not valid now. */
  private async verified(token: string, key: KeyObject): Promise<Partial<AccessClaims> | null> {
    const { issuer, audience } = this.terms;
    try {
      return await this.jwt.verifyAsync<Partial<AccessClaims>>(token, {
        publicKey: key as never,
        algorithms: [ALGORITHM],
        issuer,
        audience,
        clockTolerance: ACCESS_LEEWAY_SECONDS,
        clockTimestamp: Math.floor(this.clock.now().getTime() / 1_000),
      });
    } catch {
      return null;
    }
  }
}

/** By the name in the head alone: keys and addresses that a token brings along are not read. Null for a token that is none of ours. */
function keyNameOf(token: string): string | null {
  if (token.length > MAX_CHARACTERS) return null;
  const { typ, alg, kid, crit } = headOf(token);
  // No critical header parameter is supported.
  const isOurs = typ === ACCESS_TOKEN_TYPE && alg === ALGORITHM && crit === undefined;
  return isOurs && typeof kid === 'string' ? kid : null;
}

/** Empty for what is no head at all. */
function headOf(token: string): Partial<Record<'typ' | 'alg' | 'kid' | 'crit', unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString())) as object;
  } catch {
    return {};
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function hasAll(claims: Partial<AccessClaims>): claims is AccessClaims {
  const { sub, sid, jti, iat, exp, auth_time: authTime } = claims;
  const isId = (value: unknown) => typeof value === 'string' && UUID.test(value);
  return isId(sub) && isId(sid) && isId(jti) && [iat, exp, authTime].every((at) => Number.isInteger(at));
}
