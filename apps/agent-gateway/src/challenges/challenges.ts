import { Injectable } from '@nestjs/common';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { challengeBody, challengeHeader, type ChallengeReason } from './challenge';
import { PaymentTerms } from './payment-terms';
import type { Preflight } from './preflight';

export interface Challenge {
  /** Value of `PAYMENT-REQUIRED`. */
  header: string;
  body: Buffer;
}

const UNPAID: ChallengeReason = {
  error: 'payment_required',
  message: 'X-PAYMENT header is required',
  details: { charged: false, retry: 'pay_again' },
};
const PROBED: ChallengeReason = {
  ...UNPAID,
  message:
    'Pay with POST: repeat this request as POST with a JSON body and the X-PAYMENT header. ' +
    'A payment or credit sent with GET or HEAD is ignored and not charged.',
};

/** The 402 answers, built once at start as bytes: serving one allocates nothing but an uncommon preflight verdict. */
@Injectable()
export class Challenges {
  private readonly prepared = new Map<PaidEndpoint, PreparedChallenge>();

  constructor(private readonly terms: PaymentTerms) {
    for (const endpoint of PAID_ENDPOINTS) this.prepared.set(endpoint, new PreparedChallenge(endpoint, terms));
  }

  /** POST without payment; the verdict on the body is free. */
  unpaid(endpoint: PaidEndpoint, preflight: Preflight): Challenge {
    return this.prepared.get(endpoint)!.unpaid(preflight);
  }

  /** GET and HEAD. */
  probed(endpoint: PaidEndpoint): Challenge {
    return this.prepared.get(endpoint)!.probe;
  }

  /** A payment or credit was refused: a fresh offer with the reason. */
  refused(endpoint: PaidEndpoint, reason: ChallengeReason): Challenge {
    return {
      header: encoded(challengeHeader(endpoint, this.terms, reason.error)),
      body: Buffer.from(JSON.stringify(challengeBody(endpoint, this.terms, reason))),
    };
  }
}

class PreparedChallenge {
  readonly probe: Challenge;
  private readonly header: string;
  /** The body up to the value of `extensions.preflight`, which is its last member. */
  private readonly head: string;
  private readonly withoutBody: Challenge;
  private readonly withValidBody: Challenge;

  constructor(endpoint: PaidEndpoint, terms: PaymentTerms) {
    this.header = encoded(challengeHeader(endpoint, terms, UNPAID.error));
    this.head = `${JSON.stringify(challengeBody(endpoint, terms, UNPAID)).slice(0, -2)},"preflight":`;
    this.withoutBody = this.with({ body_present: false });
    this.withValidBody = this.with({ body_present: true, valid: true });
    this.probe = {
      header: this.header,
      body: Buffer.from(JSON.stringify(challengeBody(endpoint, terms, PROBED))),
    };
  }

  unpaid(preflight: Preflight): Challenge {
    if (!preflight.body_present) return this.withoutBody;
    return preflight.valid ? this.withValidBody : this.with(preflight);
  }

  private with(preflight: Preflight): Challenge {
    return { header: this.header, body: Buffer.from(`${this.head}${JSON.stringify(preflight)}}}`) };
  }
}

function encoded(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64');
}
