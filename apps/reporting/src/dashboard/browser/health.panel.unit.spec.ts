import type { HealthFacts } from './answers';
import { healthOf } from './health.panel';

const NOW = '2026-01-31T14:20:00.000Z';
const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.parse(NOW) - minutes * MINUTE_MS).toISOString();

interface Case {
  oldestMinutes?: number;
  lastMinutes?: number;
  lagSeconds?: number;
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
      settlement: { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0, ...settlement },
      failed_last_24h: 0,
      hours,
      oldest_waiting_at: settlement.pending ? ago(oldestMinutes) : null,
      last_payment_at: settlement.settled ? ago(lastMinutes) : null,
      past_due: 0,
      disputes: { open: 0, amount: { usd: 0, usd_exact: '0.000000' } },
      ...subscriptions,
    },
    freshness: { asOf: NOW, lagSeconds },
  });
}

const WAITS = '1 payment waits for settlement, oldest 4 min.';
const BEHIND = 'The numbers are 6 s behind: what is newest is missing.';
const disputed = { disputes: { open: 1, amount: { usd: 7.99, usd_exact: '7.990000' } } };

it.each<[Partial<HealthFacts['settlement']>, Case, string, string, string[]]>([
  [{ settled: 4302 }, {}, 'good', 'All 4,302 payments settled.', []],
  [{ settled: 1 }, {}, 'good', 'The only payment settled.', []],
  [{ settled: 4302, failed: 1 }, {}, 'good', '4,302 settled, nothing waits. 1 payment failed.', []],
  [{ settled: 9, pending: 1 }, {}, 'waiting', WAITS, ['settlement_pending']],
  [
    { needs_reconciliation: 2, pending: 1 },
    {},
    'trouble',
    `2 payments need a person. ${WAITS}`,
    ['needs_reconciliation', 'settlement_pending'],
  ],
  [{}, {}, 'empty', 'No payment yet.', []],
  [
    { pending: 1 },
    { oldestMinutes: 14 },
    'waiting',
    '1 payment waits for settlement, oldest 14 min.',
    ['settlement_pending'],
  ],
  [
    { pending: 1 },
    { oldestMinutes: 15 },
    'trouble',
    '1 payment waits for settlement, oldest 15 min: too long.',
    ['settlement_pending'],
  ],
  [{ settled: 9 }, { lagSeconds: 5 }, 'good', 'All 9 payments settled.', []],
  [{ settled: 9 }, { lagSeconds: 6 }, 'waiting', `All 9 payments settled. ${BEHIND}`, []],
  [{ settled: 9, pending: 1 }, { lagSeconds: 6 }, 'waiting', `${WAITS} ${BEHIND}`, ['settlement_pending']],
  [
    { settled: 1 },
    { subscriptions: { past_due: 1 } },
    'waiting',
    'The only payment settled. 1 subscription is past due.',
    [],
  ],
  [
    { needs_reconciliation: 1 },
    { subscriptions: { past_due: 2, ...disputed } },
    'trouble',
    '1 payment needs a person. 2 subscriptions are past due. Invoices of 7.99 USD are in dispute.',
    ['needs_reconciliation'],
  ],
])('%j, %j is %s: %s', (settlement, over, level, sentence, rows) =>
  expect(health(settlement, over)).toMatchObject({
    level,
    sentence,
    rows,
    subscriptions: over.subscriptions !== undefined,
  }),
);

it.each<[string, Case, boolean]>([
  ['a quiet hour', { lastMinutes: 20, usual: [20, 20] }, false],
  ['a busy hour', { lastMinutes: 20, usual: [30, 30] }, true],
  ['a busy hour before', { lastMinutes: 50, usual: [15, 10] }, true],
  ['a night before a day', { lastMinutes: 600, usual: [0, 25] }, false],
  ['nobody knows what is usual', { lastMinutes: 600, usual: [null, null] }, false],
])('payments that do not come are said to be missing: %s', (_what, over, isSaid) =>
  expect(health({ settled: 9 }, over)).toMatchObject({
    level: isSaid ? 'waiting' : 'good',
    sentence: expect.stringMatching(isSaid ? /No payment for \d+ min, usual are \d+ in this hour\.$/ : /settled\.$/),
  }),
);
