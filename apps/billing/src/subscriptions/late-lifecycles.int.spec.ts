import { randomInt } from 'node:crypto';
import { ManualClock } from '@evenkeel/kernel';
import { DevelopmentStripe, type StripeEvent } from '@evenkeel/stripe';
import fc from 'fast-check';
import { auditBilling } from '../audited.fixture';
import { BillingConfig } from '../billing.config';
import { Billing } from '../billing.fixture';
import { FoldOldEvents } from '../reads/fold-old-events';
import { ReadProvider } from '../reads/read-provider';
import { SECRET, sendEvent } from '../webhooks/provider-events.fixture';
import { accessUntil } from './access';
import type { FoldedState } from './facts';
import { eventOfAnswer } from './fetch-subscription';
import { fold } from './fold';
import { lifecycles, LivedCustomer, type Lifecycle } from './lifecycles.fixture';

/** `LIFECYCLES_SEED=… npx jest apps/billing/src/subscriptions/late-lifecycles` repeats a run. */
const SEED = Number(process.env['LIFECYCLES_SEED']) || randomInt(2 ** 31);
const RUNS = sized(2, 100);
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** The provider tries for so long to deliver an event. */
const LATEST_MS = 3 * DAY_MS;
const TERMS = { graceDays: 7, renewalGraceHours: 72 };
/** Members that say which events have told of a subscription. */
const TOLD_BY = { isFinal: undefined, latestInvoice: undefined, checkoutPlan: undefined };

/** What is on its way between the provider and billing: each event once or twice, at once or up to three days late. */
class SlowPost {
  private taken = 0;
  private onTheWay: { dueMs: number; event: StripeEvent }[] = [];
  private random = SEED;

  constructor(
    private readonly stripe: DevelopmentStripe,
    private readonly billing: Billing,
  ) {}

  async deliver(): Promise<void> {
    const { events } = this.stripe;
    for (const event of events.slice(this.taken)) {
      for (let copy = this.next() < 0.3 ? 2 : 1; copy > 0; copy--) {
        // Most come soon, some very late.
        const lateMs = LATEST_MS * this.next() ** 6;
        this.onTheWay.push({ dueMs: event.created * 1_000 + lateMs, event });
      }
    }
    this.taken = events.length;
    const nowMs = this.stripe.now().getTime();
    const due = this.onTheWay.filter(({ dueMs }) => dueMs <= nowMs).sort((one, other) => one.dueMs - other.dueMs);
    this.onTheWay = this.onTheWay.filter(({ dueMs }) => dueMs > nowMs);
    for (const { event } of due) expect((await sendEvent(this.billing, event)).status).toBe(200);
  }

  private next(): number {
    this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.random / 2 ** 32;
  }
}

describe.each(['new', 'old'] as const)('with payloads of the %s shape', (shape) => {
  let stripe: DevelopmentStripe;
  let billing: Billing;
  let post: SlowPost;
  beforeAll(async () => {
    const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
    stripe = await DevelopmentStripe.start({ clock, apiVersion: shape, webhookSecret: SECRET });
    billing = await Billing.start({ ...stripe.settings() }, clock);
    post = new SlowPost(stripe, billing);
  });
  afterAll(async () => {
    await billing.close();
    await stripe.close();
  });

  const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);

  /** A day at a time: events come, and the worker does what is due. */
  async function pass(to: Date): Promise<void> {
    while (stripe.now() < to) {
      await stripe.advance(new Date(Math.min(to.getTime(), stripe.now().getTime() + DAY_MS)));
      await post.deliver();
      while (await billing.app.get(ReadProvider).execute());
      while (await billing.app.get(FoldOldEvents).execute(() => false));
    }
  }

  const later = (ms: number) => pass(new Date(stripe.now().getTime() + ms));

  /** Everything has come, and nothing is left to be read. */
  async function settle(): Promise<void> {
    await later(LATEST_MS);
    for (let tries = 0; tries < 20; tries++) {
      if ((await query('SELECT id FROM provider_reads')).length === 0) return;
      await later(10 * MINUTE_MS);
    }
    throw new Error('something is read at the provider for ever');
  }

  async function check(lifecycle: Lifecycle): Promise<void> {
    const { id: userId } = billing.person();
    const lived = await LivedCustomer.live(lifecycle, { userId, stripe, pass });
    await settle();
    await expectAsFetched(lived);
    await expectAllMoney(lived);
    await lived.end();
  }

  async function expectAsFetched(lived: LivedCustomer): Promise<void> {
    const plans = billing.app.get(BillingConfig).planOfPrice;
    const fetched = (await lived.fetched()).map((answer) => eventOfAnswer(answer, plans)!);
    const rows = await query<{ id: string; state: FoldedState; until: Date | null }>(
      'SELECT subscription_id AS id, state, access_until AS until FROM subscriptions WHERE user_id = $1',
      [lived.userId],
    );
    const expected = fetched.map(({ id, created, subscriptionId, fact }) => {
      const state = fold([{ id, created, fact: fact! }]);
      return { id: subscriptionId, state: { ...state, ...TOLD_BY }, until: accessUntil(state, TERMS) };
    });
    const seen = rows.map(({ state, ...row }) => ({ ...row, state: { ...state, ...TOLD_BY } }));
    expect(seen).toHaveLength(expected.length);
    expect(seen).toEqual(expect.arrayContaining(expected));
    const token = billing.tokens.token(lived.userId);
    const { body } = await billing.ask('GET', '/v1/billing/me', { token });
    const untils = expected.flatMap(({ until }) =>
      until !== null && until > stripe.now() ? [until.toISOString()] : [],
    );
    expect([body['tier'], body['premium_until']]).toEqual(
      untils.length > 0 ? ['PREMIUM', untils.sort().at(-1)] : ['FREE', null],
    );
    expect(await auditBilling(billing.database.dataSource)).toEqual([]);
  }

  async function expectAllMoney(lived: LivedCustomer): Promise<void> {
    const told = (await billing.events(lived.userId)).filter(({ type }) => type !== 'subscription.changed');
    const published = told.map(({ data }) => [
      ...[data['adjustmentId'] ?? data['invoiceId'], data['kind'] ?? 'paid', data['amountMicros']],
    ]);
    const paid = lived.paidInvoices.map(({ id, amount_paid: cents }) => [id, 'paid', cents * 10_000]);
    const back = (await lived.moneyBack()).map(({ id, kind, amountCents }) => [id, kind, amountCents * 10_000]);
    expect(published.sort()).toEqual([...paid, ...back].sort());
  }

  it(
    `lifecycles of seed ${SEED}, told late and twice, come to what a read says`,
    async () => {
      await fc.assert(fc.asyncProperty(lifecycles, check), { seed: SEED, numRuns: RUNS, endOnFailure: true });
    },
    sized(120_000, 3_600_000),
  );
});
