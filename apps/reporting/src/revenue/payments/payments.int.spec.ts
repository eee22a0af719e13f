import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf, WALLET } from '../story.fixture';
import type { PaymentsView } from './read-payments';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const payments = (query = '') => reporting.answer<PaymentsView>(`payments${query}`);
const at = (time: string) => new Date(`2026-02-${time}Z`);

describe('a payment', () => {
  it('is listed in the shape and order of the specification', async () => {
    const payment = aPayment({ tier: 'tier_1', rebateMicros: 2_500 });
    await reporting.publish(...publishedOf([payment]));
    const { text } = await reporting.read('payments');
    const asOf = 'as_of":"2026-02-10T12:00:00.000Z","lag_seconds":';
    expect(text.slice(0, text.indexOf(asOf) + asOf.length)).toBe(
      `{"limit":25,"count":1,"payments":[{"id":"${payment.id}","verified_at":"2026-02-10T11:58:00.120Z",` +
        '"endpoint":"/agent/v1/habits/analyze","amount":{"usd":0.05,"usd_exact":"0.050000"},"amount_atomic":"50000",' +
        '"payer":"0x857b06519E91e3A54538791bDbb0E22373e36b66","network":"eip155:8453",' +
        `"asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","transaction_hash":"0x${'7'.repeat(64)}",` +
        '"status":"settled","settled_at":"2026-02-11T12:58:00.120Z",' +
        `"rebate_accrued":{"usd":0,"usd_exact":"0.002500"},"request_id":"request-${payment.id}"}],` +
        `"next_cursor":null,"${asOf}`,
    );
  });

  it('is listed before its settlement, and with its later status', async () => {
    const open = aPayment({ states: ['settlement_pending'] });
    await reporting.publish(...publishedOf([open]));
    expect((await payments()).payments).toMatchObject([
      { status: 'settlement_pending', transaction_hash: null, settled_at: null },
    ]);
    await reporting.publish(...publishedOf([{ ...open, states: ['needs_reconciliation'] }]));
    expect((await payments()).payments).toMatchObject([{ status: 'needs_reconciliation' }]);
    await reporting.publish(...publishedOf([{ ...open, states: ['settled'] }]));
    expect((await payments()).payments).toMatchObject([{ id: open.id, status: 'settled' }]);
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

  async function walk(query: string): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: PaymentsView = await payments(`?${query}${cursor && `&cursor=${cursor}`}`);
      expect(page.count).toBe(page.payments.length);
      ids.push(...page.payments.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return ids;
  }

  it.each([1, 2, 4, 9, 26, 27, 200])('are walked newest first, ties by id, %d at a time, each once', async (limit) => {
    expect(await walk(`limit=${limit}`)).toEqual(newestFirst.map(({ id }) => id));
  });

  it.each(states)('are filtered by status: %s', async (status) => {
    const expected = newestFirst.filter((story) => story.states[0] === status).map(({ id }) => id);
    expect(await walk(`limit=4&status=${status}`)).toEqual(expected);
  });

  it('continue after the page, also when newer payments have come', async () => {
    const first = await payments('?limit=5');
    await reporting.publish(...publishedOf([aPayment({ verifiedAt: at('10T11:59:59.000') })]));
    const second = await payments(`?limit=5&cursor=${first.next_cursor}`);
    expect(second.payments.map(({ id }) => id)).toEqual(newestFirst.slice(5, 10).map(({ id }) => id));
  });

  it('show every wallet with its checksum', async () => {
    const wallets = new Set((await payments()).payments.map(({ payer }) => payer));
    expect([...wallets]).toEqual(['0x857b06519E91e3A54538791bDbb0E22373e36b66']);
    expect([...wallets][0]!.toLowerCase()).toBe(WALLET);
  });
});
