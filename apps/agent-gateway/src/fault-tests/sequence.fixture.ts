import { eventually } from '@evenkeel/platform/testing';
import { checkDue } from '../recovery/resolve-uncertain.fixture';
import type { SignedPayment } from '../buyer.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import type { PaymentState } from '../ledger/payment-state';
import { ReferencePayment, type Facts, type Request } from './reference-payment.fixture';
import { BODIES, type Site } from './site.fixture';

const MINUTE_MS = 60_000;
/** After this time the circuit breakers have forgotten the sequence before. */
const CALM_MS = 11_000;
const ABANDONED_MS = 15_000;
const EXPIRED_FOR_GOOD_MS = 15 * MINUTE_MS + 6_000;
/** A slow machine may need many rounds; on a quick one the first is enough. */
const ENDED = { withinMs: 60_000 };

const USED = { status: 402, error: 'payment_already_used' };
const PENDING = '(payment\\.settlement-pending ?){0,2}';
/** The events of a payment by its final state, in order; only a refusal may be followed by a settlement (docs/adr/0005). */
const EVENTS_UNTIL: Record<string, RegExp> = {
  none: /^$/,
  settled: new RegExp(`^(${PENDING}|payment\\.settlement-failed )payment\\.settled$`),
  settlement_failed: new RegExp(`^${PENDING}payment\\.settlement-failed$`),
};

/** Two payments of one wallet and one of another, from the first request until no payment is uncertain. */
export class Sequence {
  private readonly references = [0, 1, 2].map(() => new ReferencePayment());
  private readonly used = new Set<number>();
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;
  /** How often each answer was given. */
  readonly answered = new Map<string, number>();

  private constructor(
    readonly site: Site,
    readonly payments: SignedPayment[],
    private readonly wallets: string[],
  ) {}

  static async begin(site: Site): Promise<Sequence> {
    await site.pass(CALM_MS);
    const [one, other] = [site.worker.aBuyer(), site.worker.aBuyer()];
    const payments = [await one.sign(), await one.sign(), await other.sign()];
    return new Sequence(site, payments, [one.wallet, other.wallet]);
  }

  /** Sends a request; its answer is checked when it comes. */
  async send(place: number, index: number, request: Request): Promise<void> {
    this.used.add(index);
    const replica = await this.site.replica(place);
    const before = await this.facts(index);
    const payment = this.payments[index]!;
    const checked = replica.pay(payment, BODIES[request]).then(async (reply) => {
      const kind = reply ? `${reply.status} ${reply.body.error ?? ''}`.trim() : 'none';
      this.answered.set(kind, (this.answered.get(kind) ?? 0) + 1);
      if (!reply) return;
      this.references[index]!.checkAnswer(request, before, reply, await this.facts(index), this.site.results[request]);
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
    const all = await this.allFacts();
    for (const [index, reference] of this.references.entries()) reference.see(all[index]!);
    const isOwing = ({ served, state }: Facts) => served && state !== 'settled';
    expect(all.slice(0, 2).filter(isOwing).length).toBeLessThan(2);
    if (this.failure) throw this.failure.error;
  }

  /** The faults end, the buyers repeat, time passes: no payment stays uncertain, and every promise holds. */
  async end(): Promise<void> {
    this.site.healed();
    await this.answers();
    await this.site.pass(ABANDONED_MS + CALM_MS);
    await this.workerPass();
    await this.repeatAll();
    await this.workerPass();
    await this.site.pass(EXPIRED_FOR_GOOD_MS);
    await eventually(async () => {
      await this.workerPass();
      const open = await this.query(
        `SELECT p.nonce, p.state, p.served, c.next_at, c.attempts FROM payments p LEFT JOIN payment_checks c ON c.payment_id = p.id
         WHERE p.payer = ANY($1) AND (p.state NOT IN ('settled', 'settlement_failed') OR c.payment_id IS NOT NULL)`,
        [this.wallets],
      );
      if (open.length > 0) await this.site.pass(MINUTE_MS);
      expect(open).toEqual([]);
    }, ENDED);
    await this.check();
    await this.expectEnd();
  }

  private async repeatAll(): Promise<void> {
    for (const index of this.used) await this.send(index % 2, index, 'X');
    await this.answers();
  }

  private async expectEnd(): Promise<void> {
    for (const index of this.used) {
      const payment = this.payments[index]!;
      const facts = await this.facts(index);
      const expected = this.references[index]!.expectedAtEnd(facts);
      const events = (await this.site.worker.ledger.entriesOf(payment.nonce))?.events ?? [];
      expect(events.join(' ')).toMatch(EVENTS_UNTIL[facts.state ?? 'none']!);
      for (const request of expected ? (['X', 'Y'] as const) : []) {
        const used = request !== facts.owner || (facts.state === 'settled' && facts.served && !facts.isStored);
        const { status, body } = await this.site.worker.pay(payment, { body: BODIES[request] });
        expect({ status, error: body.error }).toEqual(used ? USED : expected);
      }
    }
    for (const wallet of this.wallets) await this.expectTotals(wallet);
  }

  /** The wallet's totals are those of its settled payments, and its events are numbered without a gap. */
  private async expectTotals(wallet: string): Promise<void> {
    const [totals] = await this.query(
      `SELECT (SELECT coalesce(sum(price_micros) FILTER (WHERE state = 'settled'), 0)::integer FROM payments WHERE payer = $1) AS "settledMicros",
         (SELECT count(*) FILTER (WHERE state = 'settled')::integer FROM payments WHERE payer = $1) AS calls,
         (SELECT count(*) FILTER (WHERE served AND state = 'settlement_failed')::integer FROM payments WHERE payer = $1) AS "unpaidCalls",
         (SELECT count(*)::integer FROM outbox WHERE aggregate = $1) AS "eventSeq"`,
      [wallet],
    );
    const none = { settledMicros: 0, calls: 0, unpaidCalls: 0, eventSeq: 0 };
    expect((await this.site.worker.ledger.wallet(wallet)) ?? none).toEqual(totals);
    const numbers = await this.query<{ number: number }>(
      `SELECT aggregate_seq::integer AS number FROM outbox WHERE aggregate = $1 ORDER BY seq`,
      [wallet],
    );
    expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, index) => index + 1));
    const doubled = await this.query(
      `SELECT c.payment_id FROM calls c JOIN payments p ON p.id = c.payment_id WHERE p.payer = $1
       GROUP BY c.payment_id, p.served HAVING count(*) <> 1 OR NOT p.served`,
      [wallet],
    );
    expect(doubled).toEqual([]);
  }

  private async facts(index: number): Promise<Facts> {
    return (await this.allFacts())[index]!;
  }

  private async allFacts(): Promise<Facts[]> {
    const { facilitator, clock } = this.site.worker;
    const nonces = this.payments.map(({ nonce }) => nonce);
    const settleCalls = nonces.map((nonce) => this.site.worker.callsAbout(nonce).settle);
    const rows = await this.query<{
      nonce: string;
      state: PaymentState;
      served: boolean;
      fingerprint: string;
      isStored: boolean;
    }>(
      `SELECT nonce, state, served, fingerprint, EXISTS (
         SELECT FROM payment_answers a WHERE a.payment_id = p.id AND a.expires_at > $2
       ) AS "isStored" FROM payments p WHERE nonce = ANY($1)`,
      [nonces, clock.now()],
    );
    return nonces.map((nonce, index) => {
      const row = rows.find((one) => one.nonce === nonce);
      return {
        state: row?.state ?? null,
        served: row?.served ?? false,
        isStored: row?.isStored ?? false,
        owner: row ? this.site.requestOf(row.fingerprint) : null,
        settleCalls: settleCalls[index]!,
        settledBy: facilitator.ledger(nonce).settlements.map(({ submittedBy }) => submittedBy),
      };
    });
  }

  private query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.site.worker.ledger.dataSource.query<Row[]>(sql, parameters);
  }
}
