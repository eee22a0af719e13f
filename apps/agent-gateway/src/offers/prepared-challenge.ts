import type { PaidEndpoint } from '@evenkeel/contracts';
import { asciiJson } from './ascii-json';
import { challengeBody, challengeHeader, type ChallengeReason } from './challenge';
import type { PaymentTerms } from '../config/payment-terms';
import type { Preflight } from './preflight';

export interface Challenge {
  /** Value of `PAYMENT-REQUIRED`. */
  header: string;
  /** ASCII only. */
  body: string;
}

/** Stands where the reason goes; what surrounds it is the same for every request. */
const NO_REASON: ChallengeReason = { error: '', message: '', details: {} };

/** The offer of one endpoint as text. Making it takes milliseconds, filling in a reason microseconds. */
export class PreparedChallenge {
  private readonly header: readonly string[];
  private readonly body: readonly string[];

  constructor(endpoint: PaidEndpoint, terms: PaymentTerms, offerDigest: string) {
    this.header = split(challengeHeader(endpoint, terms, ''), ['"error":""']);
    const body = challengeBody(endpoint, terms, offerDigest, NO_REASON);
    this.body = split(body, ['"error":""', '"message":""', '"details":{}']);
  }

  /** @param preflight goes last into `extensions` */
  with({ error, message, details }: ChallengeReason, preflight?: Preflight): Challenge {
    const [start, middle, offer, rest] = this.body;
    const end = preflight ? `${rest!.slice(0, -2)},"preflight":${JSON.stringify(preflight)}}}` : rest;
    const code = `"error":${JSON.stringify(error)}`;
    const why = `"message":${JSON.stringify(message)}${offer}"details":${JSON.stringify(details)}`;
    return {
      header: Buffer.from(this.header.join(code)).toString('base64'),
      body: asciiJson(`${start}${code}${middle}${why}${end}`),
    };
  }
}

/** The text of an object around the first place of each mark. */
function split(object: object, marks: readonly string[]): string[] {
  const parts: string[] = [];
  let rest = JSON.stringify(object);
  for (const mark of marks) {
    const at = rest.indexOf(mark);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at + mark.length);
  }
  return [...parts, rest];
}
