import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { IssueDetails } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { PaymentTerms } from '../config/payment-terms';
import { acceptsEntryV1, acceptsEntryV2, resourceOf } from './accepts';
import { compactBazaar, completeBazaar } from './bazaar';
import { Offers } from './offers';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

export interface ChallengeReason {
  error: string;
  message: string;
  details: object;
}

/** The free verdict on the body of an unpaid request (D-20). */
export type Preflight =
  { body_present: false } | { body_present: true; valid: true } | ({ body_present: true; valid: false } & IssueDetails);

export interface Challenge {
  /** Value of `PAYMENT-REQUIRED`. */
  header: string;
  /** JSON, ASCII only. As bytes: a string would be counted and encoded again for every answer. */
  body: Buffer;
}

export const UNPAID: ChallengeReason = {
  error: 'payment_required',
  message: 'X-PAYMENT header is required',
  details: { charged: false, retry: 'pay_again' },
};
/** The answer to GET and HEAD. */
export const PROBED: ChallengeReason = {
  ...UNPAID,
  message:
    'Pay with POST: repeat this request as POST with a JSON body and the X-PAYMENT header. ' +
    'A payment or credit sent with GET or HEAD is ignored and not charged.',
};

/** Marks where the reason goes; the text around it is the same for every request. */
const NO_REASON: ChallengeReason = { error: '', message: '', details: {} };

/** Clients add an id only when the header declares it. */
const PAYMENT_IDENTIFIER = {
  info: { required: false },
  schema: {
    $schema: DRAFT,
    type: 'object',
    properties: { required: { type: 'boolean' }, id: { type: 'string', minLength: 16, maxLength: 128 } },
    required: ['required'],
  },
};

/** The 402 answers. The common ones are built once at start: serving them allocates nothing. */
@Injectable()
export class Challenges {
  private readonly prepared: ReadonlyMap<PaidEndpoint, ReturnType<typeof prepared>>;

  constructor(terms: PaymentTerms, { digest }: Offers) {
    this.prepared = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint, prepared(endpoint, terms, digest)]));
  }

  /** POST without payment; the verdict on the body is free. */
  unpaid(endpoint: PaidEndpoint, preflight: Preflight): Challenge {
    const { challenge, withoutBody, withValidBody } = this.prepared.get(endpoint)!;
    if (!preflight.body_present) return withoutBody;
    return preflight.valid ? withValidBody : challenge.with(UNPAID, preflight);
  }

  probed(endpoint: PaidEndpoint): Challenge {
    return this.prepared.get(endpoint)!.probed;
  }

  /** A payment or credit was refused: a fresh offer with the reason. */
  refused(endpoint: PaidEndpoint, reason: ChallengeReason): Challenge {
    return this.prepared.get(endpoint)!.challenge.with(reason);
  }
}

function prepared(endpoint: PaidEndpoint, terms: PaymentTerms, offerDigest: string) {
  const challenge = new PreparedChallenge(endpoint, terms, offerDigest);
  const withoutBody = challenge.with(UNPAID, { body_present: false });
  const withValidBody = challenge.with(UNPAID, { body_present: true, valid: true });
  return { challenge, withoutBody, withValidBody, probed: challenge.with(PROBED) };
}

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
      body: Buffer.from(asciiJson(`${start}${code}${middle}${why}${end}`), 'latin1'),
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

/** The 402 body, version 1, without `extensions.preflight`. */
export function challengeBody(
  endpoint: PaidEndpoint,
  terms: PaymentTerms,
  offerDigest: string,
  { error, message, details }: ChallengeReason,
) {
  return {
    x402Version: 1,
    error,
    message,
    ...flatCopies(endpoint, terms),
    accepts: [acceptsEntryV1(endpoint, terms)],
    price: usdAmount(endpoint.priceMicros),
    details,
    offer_digest: offerDigest,
    extensions: { bazaar: completeBazaar(endpoint) },
  };
}

/** The object of the `PAYMENT-REQUIRED` header: the same offer, version 2. */
export function challengeHeader(endpoint: PaidEndpoint, terms: PaymentTerms, error: string) {
  return {
    x402Version: 2,
    error,
    resource: resourceOf(endpoint, terms),
    accepts: [acceptsEntryV2(endpoint, terms)],
    extensions: { 'payment-identifier': PAYMENT_IDENTIFIER, bazaar: compactBazaar(endpoint) },
    ...flatCopies(endpoint, terms),
  };
}

/** For readers that want the members at the top. */
function flatCopies(endpoint: PaidEndpoint, { chain, asset, payTo }: PaymentTerms) {
  return { scheme: 'exact', network: chain.caip2, asset, payTo, amount: String(endpoint.priceMicros) };
}

/** The same JSON without a character above ASCII, so that its length is its bytes. */
export function asciiJson(json: string): string {
  return json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
