import type { Reply } from '../gateway.fixture';
import type { PaymentState } from '../ledger/payment-state';
import { settlementResponseIn } from '../payments/payment.fixture';

/** X is the body that is sent first and repeated, Y another body with the same payment. */
export type Request = 'X' | 'Y';

/** One payment in the ledger and at the facilitator. */
export interface Facts {
  state: PaymentState | null;
  served: boolean;
  /** The ledger still has its answer for a repeat. */
  isStored: boolean;
  /** The request that the ledger has for the payment. */
  owner: Request | null;
  settleCalls: number;
  /** Who moved money to us. */
  settledBy: readonly string[];
}

/** Checks promises P1 to P3 about one payment after each answer and at the end. */
export class ReferencePayment {
  private answered: Request | null = null;
  private signed: string | null = null;
  private saidUncharged = false;
  private state: PaymentState | null = null;

  /** Final states are final; only a refusal can turn out to be a transfer by somebody else. */
  see({ state, settledBy, served }: Facts): void {
    if (this.state === 'settled') expect(state).toBe('settled');
    if (this.state === 'settlement_failed') expect(['settlement_failed', 'settled']).toContain(state);
    if (state === 'settled') expect(settledBy).toHaveLength(1);
    if (served) expect(state).not.toBe('settling');
    expect(settledBy.length).toBeLessThanOrEqual(1);
    this.state = state;
  }

  checkAnswer(
    request: Request,
    before: Facts,
    { status, body, headers, text }: Reply,
    after: Facts,
    result: string,
  ): void {
    const is = { status, error: body.error, request };
    if (status === 200) {
      expect({ ...is, text, served: after.served, owner: after.owner }).toEqual({
        ...is,
        text: result,
        served: true,
        owner: request,
      });
      expect(this.answered ?? request).toBe(request);
      if (settlementResponseIn(headers)?.status === 'settled') expect(after).toMatchObject({ state: 'settled' });
      const signed = headers.get('x-evenkeel-receipt');
      expect({ ...is, signed: signed !== null && (this.signed ?? signed) === signed }).toEqual({ ...is, signed: true });
      this.signed = signed;
      this.answered = request;
    } else if (status === 402 && body.error === 'payment_already_used') {
      const isSpent = after.owner === request && after.served && !after.isStored;
      expect({ ...is, isAnothers: after.owner !== null && after.owner !== request, isSpent }).toEqual({
        ...is,
        isAnothers: !isSpent,
        isSpent,
      });
    } else if (status === 402) {
      expect(['settlement_failed', 'payment_rejected', 'authorization_expired']).toContain(body.error);
      if (body.error === 'settlement_failed') expect(after.owner).toBe(request);
      if (before.owner === request) this.saidUncharged = true;
    } else if (status === 429) {
      expect(body.details).toEqual({ scope: 'payment_in_progress', charged: null, retry: 'retry_same' });
    } else if (body.error === 'payment_verification_unavailable') {
      expect({ ...is, settleCalls: before.settleCalls }).toEqual({ ...is, status: 502, settleCalls: 0 });
    } else {
      expect(is).toEqual({ status: 502, error: 'settlement_unknown', request });
      expect([headers.get('retry-after'), body.details?.charged]).toEqual([expect.stringMatching(/^(5|600)$/), null]);
    }
    this.checkPromise(after);
  }

  /** We never charge a buyer after the answer that nothing was charged. */
  checkPromise({ settledBy }: Facts): void {
    if (this.saidUncharged) expect(settledBy).not.toContain('facilitator');
  }

  /** The answer to the owner once no payment is uncertain; long after, its first answer is the same. */
  expectedAtEnd(facts: Facts): { status: number; error?: string } | null {
    this.checkPromise(facts);
    if (facts.state === null) {
      expect(facts.settledBy).not.toContain('facilitator');
      return null;
    }
    expect(facts.state).toBe(facts.settledBy.length === 1 ? 'settled' : 'settlement_failed');
    return facts.state === 'settled' ? { status: 200 } : { status: 402, error: 'settlement_failed' };
  }
}
