import { Injectable } from '@nestjs/common';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { Offers } from './offers';
import type { ChallengeReason } from './challenge';
import { PaymentTerms } from '../config/payment-terms';
import type { Preflight } from './preflight';
import { PreparedChallenge, type Challenge } from './prepared-challenge';

export const UNPAID: ChallengeReason = {
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

/** The 402 answers. The common ones are built once at start: serving them allocates nothing. */
@Injectable()
export class Challenges {
  private readonly prepared = new Map<PaidEndpoint, PreparedChallenges>();

  constructor(terms: PaymentTerms, { digest }: Offers) {
    for (const endpoint of PAID_ENDPOINTS) {
      const challenge = new PreparedChallenge(endpoint, terms, digest);
      this.prepared.set(endpoint, {
        challenge,
        withoutBody: challenge.with(UNPAID, { body_present: false }),
        withValidBody: challenge.with(UNPAID, { body_present: true, valid: true }),
        probed: challenge.with(PROBED),
      });
    }
  }

  /** POST without payment; the verdict on the body is free. */
  unpaid(endpoint: PaidEndpoint, preflight: Preflight): Challenge {
    const { challenge, withoutBody, withValidBody } = this.prepared.get(endpoint)!;
    if (!preflight.body_present) return withoutBody;
    return preflight.valid ? withValidBody : challenge.with(UNPAID, preflight);
  }

  /** GET and HEAD. */
  probed(endpoint: PaidEndpoint): Challenge {
    return this.prepared.get(endpoint)!.probed;
  }

  /** A payment or credit was refused: a fresh offer with the reason. */
  refused(endpoint: PaidEndpoint, reason: ChallengeReason): Challenge {
    return this.prepared.get(endpoint)!.challenge.with(reason);
  }
}

interface PreparedChallenges {
  challenge: PreparedChallenge;
  withoutBody: Challenge;
  withValidBody: Challenge;
  probed: Challenge;
}
