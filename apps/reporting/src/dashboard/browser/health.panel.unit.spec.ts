import type { HealthFacts } from './answers';
import { agentCommand, healthOf } from './health.panel';

const NOW = '2026-01-31T14:20:00.000Z';
const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.parse(NOW) - minutes * MINUTE_MS).toISOString();
const NONE = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
const NO_CONCERN = { past_due: 0, disputes: { open: 0, amount: { usd: 0, usd_exact: '0.000000' } } };

interface Case {
  oldestMinutes?: number;
  lastMinutes?: number;
  lagSeconds?: number;
  /** Of the hour before and of this one. */
  usual?: [number | null, number | null];
  subscriptions?: Partial<HealthFacts>;
}

function health(settlement: Partial<HealthFacts['settlement']>, over: Case = {}) {
  const { oldestMinutes = 4, lastMinutes = 1, lagSeconds = 0, usual = [null, null], subscriptions } = over;
  const hours = usual.map((calls, index) => ({
    since: `2026-01-31T${13 + index}:00:00.000Z`,
    paid_calls: 0,
    usual_paid_calls: calls,
  }));
  return healthOf({
    health: {
      settlement: { ...NONE, ...settlement },
      failed_last_24h: 0,
      hours,
      oldest_waiting_at: settlement.pending ? ago(oldestMinutes) : null,
      last_payment_at: settlement.settled ? ago(lastMinutes) : null,
      ...NO_CONCERN,
      ...subscriptions,
    },
    freshness: { asOf: NOW, lagSeconds },
  });
}

it.each([
  [{ settled: 4302 }, 'good', 'All 4,302 payments settled.'],
  [{ settled: 1 }, 'good', 'The only payment settled.'],
  [{ settled: 4302, failed: 1 }, 'good', '4,302 settled, nothing waits. 1 payment failed.'],
  [{ settled: 9, pending: 2 }, 'waiting', '2 payments wait for settlement, oldest 4 min.'],
  [{ settled: 9, pending: 1 }, 'waiting', '1 payment waits for settlement, oldest 4 min.'],
  [{ settled: 9, needs_reconciliation: 1 }, 'trouble', '1 payment needs a person.'],
  [
    { needs_reconciliation: 2, pending: 1 },
    'trouble',
    '2 payments need a person. 1 payment waits for settlement, oldest 4 min.',
  ],
  [{}, 'empty', 'No payment yet.'],
])('%j is %s: %s', (settlement, level, sentence) => expect(health(settlement)).toMatchObject({ level, sentence }));

it('links to exactly the rows of its sentence', () => {
  expect(health({ pending: 1 }).rows).toEqual(['settlement_pending']);
  expect(health({ pending: 1, needs_reconciliation: 1 }).rows).toEqual(['needs_reconciliation', 'settlement_pending']);
  expect(health({ settled: 1 }).rows).toEqual([]);
});

it.each([
  [14, 'waiting', '1 payment waits for settlement, oldest 14 min.'],
  [15, 'trouble', '1 payment waits for settlement, oldest 15 min: too long.'],
])('a payment that waits for %i minutes is %s', (oldestMinutes, level, sentence) =>
  expect(health({ settled: 9, pending: 1 }, { oldestMinutes })).toMatchObject({ level, sentence }),
);

describe('numbers that are behind', () => {
  const BEHIND = 'The numbers are 6 s behind: what is newest is missing.';

  it.each([
    [{ settled: 9 }, 5, 'good', 'All 9 payments settled.'],
    [{ settled: 9 }, 6, 'waiting', `All 9 payments settled. ${BEHIND}`],
    [{ settled: 9, pending: 1 }, 6, 'waiting', `1 payment waits for settlement, oldest 4 min. ${BEHIND}`],
    [{ settled: 9, needs_reconciliation: 1 }, 6, 'trouble', `1 payment needs a person. ${BEHIND}`],
  ])('%j, %i s: %s, %s', (settlement, lagSeconds, level, sentence) =>
    expect(health(settlement, { lagSeconds })).toMatchObject({ level, sentence }),
  );
});

describe('payments that do not come', () => {
  it.each<[string, Case, boolean]>([
    ['a quiet hour', { lastMinutes: 20, usual: [20, 20] }, false],
    ['a busy hour', { lastMinutes: 20, usual: [30, 30] }, true],
    ['the hour before counts too', { lastMinutes: 50, usual: [15, 10] }, true],
    ['a night before a day', { lastMinutes: 600, usual: [0, 25] }, false],
    ['nobody knows what is usual', { lastMinutes: 600, usual: [null, null] }, false],
  ])('%s', (_what, over, isTold) =>
    expect(health({ settled: 9 }, over)).toMatchObject({
      level: isTold ? 'waiting' : 'good',
      sentence: expect.stringMatching(isTold ? /No payment for \d+ min, usual are \d+ in this hour\.$/ : /settled\.$/),
    }),
  );
});

describe('subscriptions', () => {
  const pastDue = { past_due: 1 };
  const disputed = { disputes: { open: 1, amount: { usd: 7.99, usd_exact: '7.990000' } } };

  it.each([
    [{ settled: 1 }, pastDue, 'waiting', 'The only payment settled. 1 subscription is past due.'],
    [{}, { past_due: 2 }, 'waiting', 'No payment yet. 2 subscriptions are past due.'],
    [
      { needs_reconciliation: 1 },
      { ...pastDue, ...disputed },
      'trouble',
      '1 payment needs a person. 1 subscription is past due. Invoices of 7.99 USD are in dispute.',
    ],
  ])('follow the payments: %j, %j are %s', (settlement, subscriptions, level, sentence) =>
    expect(health(settlement, { subscriptions })).toMatchObject({ level, sentence, subscriptions: true }),
  );
});

it.each([
  ['http://localhost:8080', 'npm run agent -- recommend'],
  ['http://localhost:9000', 'npm run agent -- recommend --url http://localhost:9000'],
  ['https://pay.example', 'npm run agent -- recommend --url https://pay.example'],
])('the command for the first payment knows where the page is: %s', (origin, text) =>
  expect(agentCommand(origin)).toBe(text),
);
