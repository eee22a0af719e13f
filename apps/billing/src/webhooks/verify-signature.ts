import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@evenkeel/kernel';

export class InvalidSignature extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_signature';

  constructor(message = 'The signature does not belong to this body, or its time is not now.') {
    super(message);
  }
}

const TOLERANCE_SECONDS = 300;
/** The provider sends some hundred characters, also while a secret is changed. */
const LONGEST_HEADER = 4_096;
const TIME = /^\d{1,12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

interface Signature {
  /** As it was sent: it is a part of what is signed. */
  time: string;
  digests: Buffer[];
}

export interface SignedBody {
  header: string | string[] | undefined;
  body: Buffer;
  /** The current one, and the previous one while it is changed. */
  secrets: readonly string[];
  now: Date;
}

/**
 * HMAC-SHA256 over `<time>.<body>`, by one of the secrets, at most five minutes from now on either side.
 * @throws InvalidSignature
 */
export function verifySignature({ header, body, secrets, now }: SignedBody): void {
  const { time, digests } = readHeader(header);
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(time);
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) throw new InvalidSignature();
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
    // All of them, so that the time of an answer does not tell which one was nearly right.
    const matches = digests.filter((digest) => timingSafeEqual(digest, expected));
    if (matches.length > 0) return;
  }
  throw new InvalidSignature();
}

/** `t=<seconds>,v1=<digest>`, with more digests while secrets change, and others in schemes that count for nothing. */
function readHeader(header: SignedBody['header']): Signature {
  if (typeof header !== 'string' || header.length > LONGEST_HEADER) throw new InvalidSignature();
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string) => parts.flatMap((part) => (part.startsWith(name) ? part.slice(name.length) : []));
  const [times, digests] = [valuesOf('t='), valuesOf('v1=')];
  const [time] = times;
  if (time === undefined || times.length > 1 || !TIME.test(time)) throw new InvalidSignature();
  return { time, digests: digests.filter((hex) => DIGEST.test(hex)).map((hex) => Buffer.from(hex, 'hex')) };
}
