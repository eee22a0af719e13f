import { nonceOf } from '../../projection/history.fixture';
import type { ReconciliationView } from '../ledger/read-reconciliation';
import { Reporting } from '../reporting.fixture';
import { aCredit, aPayment, publishedOf, WALLET } from '../story.fixture';
import type { PaymentAnswerView } from './read-payment-history';
import type { PaymentsView } from './read-payments';

const reporting = Reporting.forSuite();
beforeEach(() => reporting.forget());

const other = `0x${'c'.repeat(40)}`;
const found = async (query: string) =>
  (await reporting.answer<PaymentsView>(`payments?${query}`)).payments.map(({ id }) => id);

describe('payments', () => {
  it('are found by each of their names, and by its beginning of eight characters at least', async () => {
    const mine = aPayment({ verifiedAt: new Date('2025-11-30T23:59:59.999Z') });
    const open = aPayment({ wallet: other, states: ['settlement_pending'] });
    const [settled] = publishedOf([mine]);
    const transactionHash = `0x${'ab'.repeat(32)}`;
    await reporting.publish({ ...settled!, data: { ...settled!.data, transactionHash } }, ...publishedOf([open]));
    const names = [mine.id, mine.id.toUpperCase(), nonceOf(mine.id), transactionHash, `request-${mine.id}`];
    for (const name of [...names, WALLET, '0x857b06519E91e3A54538791bDbb0E22373e36b66']) {
      expect([name, await found(`q=${name}`)]).toEqual([name, [mine.id]]);
    }
    expect(await found(`q=${nonceOf(open.id).toUpperCase().replace('X', 'x')}`)).toEqual([open.id]);
    expect(await found(`q=${nonceOf(mine.id).slice(0, 34)}`)).toEqual([mine.id]);
    expect(await found(`q=${transactionHash.slice(0, 8)}`)).toEqual([mine.id]);
    // Both ids, and so the names of both requests, begin alike.
    for (const name of [mine.id.slice(0, 8), mine.id.slice(0, -1), 'request-']) {
      expect([name, await found(`q=${name}`)]).toEqual([name, [open.id, mine.id]]);
    }
    expect(await found(`q=${WALLET.slice(0, 8)}`)).toEqual([mine.id]);
    for (const name of [mine.id.slice(1), 'request', `0x${'ef'.repeat(32)}`, `0x${'e'.repeat(40)}`, '%25']) {
      expect([name, await found(`q=${name}`)]).toEqual([name, []]);
    }
  });

  it('are found by the request id that an agent chose, whatever it looks like', async () => {
    const mine = aPayment();
    const [settled] = publishedOf([mine]);
    for (const requestId of ['0xfeedbeef', '0xfeedbeef-order-17', `0x${'Ab'.repeat(32)}`]) {
      await reporting.forget();
      await reporting.publish({ ...settled!, data: { ...settled!.data, requestId } }, ...publishedOf([aPayment()]));
      for (const name of [requestId, requestId.slice(0, 9)]) {
        expect([name, await found(`q=${name}`)]).toEqual([name, [mine.id]]);
      }
    }
  });

  it('are filtered by status, endpoint, wallet and days, together, over pages', async () => {
    const on = (text: string) => new Date(`${text}Z`);
    const [a, b, c, d, e] = [
      aPayment({ verifiedAt: on('2026-01-31T23:59:59.999') }),
      aPayment({ verifiedAt: on('2026-02-01T00:00:00.000'), endpoint: '/agent/v1/habits/plan' }),
      aPayment({ verifiedAt: on('2026-02-01T23:59:59.999'), wallet: other }),
      aPayment({ verifiedAt: on('2026-02-02T00:00:00.000'), states: ['settlement_failed'] }),
      aPayment({ verifiedAt: on('2026-02-03T12:00:00.000'), wallet: other, states: ['needs_reconciliation'] }),
    ] as const;
    await reporting.publish(...publishedOf([a, b, c, d, e]));
    expect(await found('day=2026-02-01')).toEqual([c.id, b.id]);
    expect(await found('from=2026-01-31&to=2026-02-01')).toEqual([c.id, b.id, a.id]);
    expect(await found('endpoint=/agent/v1/habits/plan')).toEqual([b.id]);
    expect(await found('endpoint=/agent/v1/habits')).toEqual([]);
    expect(await found(`wallet=${other.toUpperCase().replace('X', 'x')}`)).toEqual([e.id, c.id]);
    expect(await found(`wallet=${other}&status=needs_reconciliation&day=2026-02-03`)).toEqual([e.id]);
    expect(await found(`wallet=${other}&status=settled&day=2026-02-03`)).toEqual([]);
    const first = await reporting.answer<PaymentsView>('payments?from=2026-01-31&to=2026-02-02&limit=3');
    expect(first.payments.map(({ id }) => id)).toEqual([d.id, c.id, b.id]);
    expect(await found(`from=2026-01-31&to=2026-02-02&limit=3&cursor=${first.next_cursor}`)).toEqual([a.id]);
  });
});

describe('many payments', () => {
  // Three at each of nine instants over three months, ids in no order.
  const instants = ['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-02-09T08:00:00.001Z'].flatMap(
    (text) => [0, 1, 2].map((minutes) => new Date(Date.parse(text) + minutes * 60_000)),
  );
  const states = ['settled', 'settlement_pending', 'settlement_failed'] as const;
  const stories = instants.flatMap((verifiedAt) =>
    states.map((state) => aPayment({ verifiedAt, states: [state], served: false })),
  );
  const newestFirst = [...stories].sort((a, b) => +b.verifiedAt - +a.verifiedAt || (a.id < b.id ? 1 : -1));

  beforeEach(() => reporting.publish(...publishedOf(stories)));

  it.each([1, 26, 27])('are walked newest first, ties by id, %d at a time, each once', async (limit) => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: PaymentsView = await reporting.answer(`payments?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      ids.push(...page.payments.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(ids).toEqual(newestFirst.map(({ id }) => id));
  });

  it('continue after the page, also when newer payments have come', async () => {
    const first = await reporting.answer<PaymentsView>('payments?limit=5');
    await reporting.publish(...publishedOf([aPayment({ verifiedAt: new Date('2026-02-10T11:59:59.000Z') })]));
    const rest = newestFirst.slice(5, 10).map(({ id }) => id);
    expect(await found(`limit=5&cursor=${first.next_cursor}`)).toEqual(rest);
  });
});

it('payments of a group are exactly those of the reconciliation', async () => {
  const open = [
    aPayment({ states: ['settlement_pending'] }),
    aPayment({ states: ['needs_reconciliation'], served: false }),
  ];
  const failed = [true, false].map((served) => aPayment({ states: ['settlement_failed'], served }));
  const [settled, withoutHash] = [aPayment(), aPayment()];
  const [event] = publishedOf([withoutHash]);
  const hashless = { ...event!, data: { ...event!.data, transactionHash: null } };
  await reporting.publish(...publishedOf([...open, ...failed, settled]), hashless);
  const all = await reporting.answer<ReconciliationView>('reconciliation');
  const idsOf = ({ payments }: { payments: { id: string }[] }) => payments.map(({ id }) => id);
  expect((await found('group=unresolved')).sort()).toEqual(idsOf(all.unresolved).sort());
  expect(await found('group=unresolved&status=needs_reconciliation')).toEqual([open[1]!.id]);
  expect(await found('group=settled_without_hash')).toEqual([withoutHash.id]);
  expect(await found('group=served_and_failed')).toEqual([failed[0]!.id]);
  expect(await found('group=served_and_failed&status=settled')).toEqual([]);
});

it('payments by settlement have the day on which they settled or failed, in that order, over pages; what has not ended has none', async () => {
  const at = (text: string) => new Date(`2026-02-${text}Z`);
  const hourMs = 3_600_000;
  const [early, late, failed] = [
    aPayment({ verifiedAt: at('01T23:30:00.000'), endsAfterMs: hourMs }),
    aPayment({ verifiedAt: at('01T10:00:00.000'), endsAfterMs: 20 * hourMs }),
    aPayment({ verifiedAt: at('02T12:00:00.000'), endsAfterMs: hourMs, states: ['settlement_failed'] }),
  ] as const;
  const open = aPayment({ verifiedAt: at('02T12:00:00.000'), states: ['settlement_pending'] });
  await reporting.publish(...publishedOf([early, late, failed, open]));
  expect(await found('day=2026-02-01')).toEqual([early.id, late.id]);
  expect(await found('day=2026-02-01&basis=settlement')).toEqual([]);
  expect(await found('day=2026-02-02&basis=settlement')).toEqual([failed.id, late.id, early.id]);
  expect(await found('basis=settlement&status=settled')).toEqual([late.id, early.id]);
  const { next_cursor } = await reporting.answer<PaymentsView>('payments?basis=settlement&limit=2');
  expect(await found(`basis=settlement&limit=2&cursor=${next_cursor}`)).toEqual([early.id]);
  expect((await reporting.read(`payments?cursor=${next_cursor}`)).status).toBe(400);
});

describe('one payment', () => {
  const story = async (id: string) => (await reporting.answer<PaymentAnswerView>(`payments/${id}`)).story;

  it('has everything that is known of it', async () => {
    const payment = aPayment({ tier: 'tier_1', rebateMicros: 2_500, states: ['settlement_pending', 'settled'] });
    const [credit] = publishedOf([], [aCredit({ issuedAt: new Date('2026-02-10T12:00:00.000Z') })]);
    const issued = { ...credit!, data: { ...credit!.data, paymentId: payment.id } };
    await reporting.publish(...publishedOf([payment]), issued);
    const { body } = await reporting.read(`payments/${payment.id.toUpperCase()}`);
    expect(body).toMatchObject({
      id: payment.id,
      status: 'settled',
      nonce: nonceOf(payment.id),
      reason: null,
      served: true,
      tier: 'tier_1',
      attributed_cost: { usd_exact: '0.000400' },
      failed_at: null,
      credit_issued: { face_value: { usd_exact: '0.100000' }, redeemed_at: null, expires_at: null },
    });
    expect(Object.keys(body).slice(-4)).toEqual(['credit_issued', 'story', 'as_of', 'lag_seconds']);
    const [verified, pending, settled, ...more] = await story(payment.id);
    expect([verified, pending!.state, settled, more]).toEqual([
      { at: '2026-02-10T11:58:00.120Z', state: 'verified' },
      'settlement_pending',
      { at: '2026-02-11T12:58:00.120Z', state: 'settled', transaction_hash: `0x${'7'.repeat(64)}` },
      [],
    ]);
  });

  it('ends with its state, though older events left no step and no nonce', async () => {
    const [old, failed] = [aPayment(), aPayment({ states: ['settlement_failed'], served: false })];
    const withoutNews = publishedOf([old]).map(({ data, ...event }) => {
      const { nonce: _nonce, served: _served, ...rest } = data as Record<string, unknown>;
      return { ...event, data: rest };
    });
    await reporting.publish(...withoutNews, ...publishedOf([failed]));
    expect((await reporting.read(`payments/${old.id}`)).body).toMatchObject({ nonce: null, served: null });
    expect((await story(old.id)).map(({ state }) => state)).toEqual(['verified', 'settled']);
    await reporting.database.dataSource.query('DELETE FROM payment_states');
    expect(await story(failed.id)).toEqual([
      { at: '2026-02-10T11:58:00.120Z', state: 'verified' },
      { at: '2026-02-11T12:58:00.120Z', state: 'settlement_failed', reason: 'refused' },
    ]);
  });
});
