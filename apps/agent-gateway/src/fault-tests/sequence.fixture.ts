import { eventually } from '@evenkeel/platform/testing';
import { checkDue } from '../recovery/resolve-uncertain.fixture';
import type { SignedPayment } from '../buyer.fixture';
import type { Reply } from '../gateway.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import type { PaymentState } from '../ledger/payment-state';
import { settlementResponseIn } from '../payments/payment.fixture';
import { BODIES, BUDGET_MS, type Request, type Site } from './site.fixture';

const MINUTE_MS = 60_000;
/** After this time the circuit breakers have forgotten the sequence before. */
const CALM_MS = 11_000;
const ABANDONED_MS = 15_000;
/** At the end no answer comes before the claim of its request: on a slow machine it would be made after all has been looked at. */
const PATIENT_MS = 60_000;
const EXPIRED_FOR_GOOD_MS = 15 * MINUTE_MS + 6_000;

/** One payment in the ledger and at the facilitator. */
interface Facts {
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

const NONE = { state: null, served: false, isStored: false, owner: null };

/** Checks promises P1 to P3 about one payment after each answer and at the end. */
class ReferencePayment {
  private answered: Request | null = null;
  private receipt: string | null = null;
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

  /** @param result the bytes of the result of this request */
  checkAnswer(request: Request, before: Facts, { status, body, headers, text }: Reply, after: Facts, result: string) {
    const isOwner = after.owner === request;
    if (status === 200) {
      expect([text, after.served, after.owner, this.answered ?? request]).toEqual([result, true, request, request]);
      if (settlementResponseIn(headers)?.status === 'settled') expect(after).toMatchObject({ state: 'settled' });
      const receipt = headers.get('x-evenkeel-receipt');
      expect(receipt).toEqual(this.receipt ?? expect.any(String));
      Object.assign(this, { answered: request, receipt });
    } else if (body.error === 'payment_already_used') {
      const isSpent = isOwner && after.served && !after.isStored;
      expect([status, isSpent || (after.owner !== null && !isOwner)]).toEqual([402, true]);
    } else if (status === 402) {
      expect(['settlement_failed', 'payment_rejected', 'authorization_expired']).toContain(body.error);
      if (body.error === 'settlement_failed') expect(after.owner).toBe(request);
      if (before.owner === request) this.saidUncharged = true;
    } else if (status === 429) {
      expect(body.details).toEqual({ scope: 'payment_in_progress', charged: null, retry: 'retry_same' });
    } else if (body.error === 'payment_verification_unavailable') {
      expect([status, before.settleCalls]).toEqual([502, 0]);
    } else {
      const retryAfter = expect.stringMatching(/^(5|600)$/);
      const said = [status, body.error, headers.get('retry-after'), body.details?.charged];
      expect(said).toEqual([502, 'settlement_unknown', retryAfter, null]);
    }
    this.checkPromise(after);
  }

  /** We never charge a buyer after the answer that nothing was charged. */
  private checkPromise({ settledBy }: Facts): void {
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

/** Two payments of one wallet and one of another, from the first request until no payment is uncertain. */
export class Sequence {
  private readonly references = [0, 1, 2].map(() => new ReferencePayment());
  private readonly used = new Set<number>();
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;
  /** The answers that were given. */
  readonly answered = new Set<string>();

  private constructor(
    readonly site: Site,
    readonly payments: SignedPayment[],
    private readonly wallets: string[],
  ) {}

  static async begin(site: Site): Promise<Sequence> {
    await site.healed(BUDGET_MS);
    await site.pass(CALM_MS);
    const [one, other] = [site.worker.aBuyer(), site.worker.aBuyer()];
    const payments = [await one.sign(), await one.sign(), await other.sign()];
    return new Sequence(site, payments, [one.wallet, other.wallet]);
  }

  /** Sends a request; its answer is checked when it comes. */
  async send(place: number, index: number, request: Request): Promise<void> {
    this.used.add(index);
    const replica = await this.site.replica(place);
    const before = (await this.facts())[index]!;
    const checked = replica.pay(this.payments[index]!, BODIES[request]).then(async (reply) => {
      this.answered.add(reply ? `${reply.status} ${reply.body.error ?? ''}`.trim() : 'none');
      if (!reply) return;
      const after = (await this.facts())[index]!;
      this.references[index]!.checkAnswer(request, before, reply, after, this.site.results[request]);
    });
    const done = checked
      .catch((error: unknown) => void (this.failure ??= { error }))
      .finally(() => this.running.delete(done));
    this.running.add(done);
  }

  async answers(): Promise<void> {
    await Promise.all(this.running);
    if (this.failure) throw this.failure.error;
  }

  async workerPass(): Promise<void> {
    await this.site.worker.app.get(AbandonedPayments).takeOverNext();
    await checkDue(this.site.worker);
  }

  /** Checks the promises that hold after every step. */
  async check(): Promise<void> {
    const all = await this.facts();
    for (const [index, reference] of this.references.entries()) reference.see(all[index]!);
    const isOwing = ({ served, state }: Facts) => served && state !== 'settled';
    expect(all.slice(0, 2).filter(isOwing).length).toBeLessThan(2);
    if (this.failure) throw this.failure.error;
  }

  /** The faults end, the buyers repeat, time passes: no payment stays uncertain, and every promise holds. */
  async end(): Promise<void> {
    await this.site.healed(PATIENT_MS);
    await this.answers();
    await this.site.pass(ABANDONED_MS + CALM_MS);
    await this.workerPass();
    for (const index of this.used) await this.send(index % 2, index, 'X');
    await this.answers();
    await this.workerPass();
    await this.site.pass(EXPIRED_FOR_GOOD_MS);
    // A slow machine may need many rounds; on a quick one the first is enough.
    await eventually(
      async () => {
        await this.workerPass();
        const open = await this.site.worker.query(
          `SELECT p.nonce, p.state, p.served, c.next_at, c.attempts FROM payments p LEFT JOIN payment_checks c ON c.payment_id = p.id
           WHERE p.payer = ANY($1) AND (p.state NOT IN ('settled', 'settlement_failed') OR c.payment_id IS NOT NULL)`,
          [this.wallets],
        );
        if (open.length > 0) await this.site.pass(MINUTE_MS);
        expect(open).toEqual([]);
      },
      { withinMs: 60_000 },
    );
    await this.check();
    await this.expectEnd();
  }

  private async expectEnd(): Promise<void> {
    const all = await this.facts();
    for (const index of this.used) {
      const facts = all[index]!;
      const expected = this.references[index]!.expectedAtEnd(facts);
      if (!expected) continue;
      for (const request of ['X', 'Y'] as const) {
        const isUsed = request !== facts.owner || (facts.state === 'settled' && facts.served && !facts.isStored);
        const { status, body } = await this.site.worker.pay(this.payments[index]!, { body: BODIES[request] });
        const used = { status: 402, error: 'payment_already_used' };
        expect({ status, error: body.error }).toEqual(isUsed ? used : expected);
      }
    }
  }

  private async facts(): Promise<Facts[]> {
    const { worker } = this.site;
    type Row = Pick<Facts, 'state' | 'served' | 'isStored'> & { nonce: string; fingerprint: string };
    const rows = await worker.query<Row>(
      `SELECT nonce, state, served, fingerprint, EXISTS (
         SELECT FROM payment_answers a WHERE a.payment_id = p.id AND a.expires_at > $2
       ) AS "isStored" FROM payments p WHERE nonce = ANY($1)`,
      [this.payments.map(({ nonce }) => nonce), worker.clock.now()],
    );
    return this.payments.map(({ nonce }) => {
      const row = rows.find((one) => one.nonce === nonce);
      const settledBy = worker.facilitator.ledger(nonce).settlements.map(({ submittedBy }) => submittedBy);
      const { settle: settleCalls } = worker.callsAbout(nonce);
      if (!row) return { ...NONE, settleCalls, settledBy };
      return { ...row, owner: this.site.requestOf(row.fingerprint), settleCalls, settledBy };
    });
  }
}
