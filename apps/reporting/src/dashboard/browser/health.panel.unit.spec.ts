import type { Subscriptions, Summary } from './answers';
import { healthOf } from './health.panel';

const none = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
const NO_CONCERN = { standing: { past_due: 0 }, invoices: { disputed: { usd: 0 } }, lag_seconds: 0 };

function health(
  settlement: Partial<Summary['settlement']>,
  {
    lagSeconds = 0,
    oldestWaitingMs,
    ...subscriptions
  }: { lagSeconds?: number; oldestWaitingMs?: number } & object = {},
) {
  const summary = { settlement: { ...none, ...settlement }, lag_seconds: lagSeconds } as Summary;
  return healthOf({
    summary,
    oldestWaitingMs,
    subscriptions: { ...NO_CONCERN, ...subscriptions } as unknown as Subscriptions,
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
])('%j is %s: %s', (settlement, level, sentence) => {
  expect(health(settlement, { oldestWaitingMs: 4 * 60_000 })).toMatchObject({ level, sentence });
});

it('links to exactly the rows of its sentence', () => {
  expect(health({ pending: 1 }).rows).toBe('settlement_pending');
  expect(health({ pending: 1, needs_reconciliation: 1 }).rows).toBe('needs_reconciliation');
  expect(health({ settled: 1 }).rows).toBeUndefined();
});

it('omits an unknown age', () => {
  expect(health({ pending: 300 }).sentence).toBe('300 payments wait for settlement.');
});

it('is not good while the numbers are far behind', () => {
  expect(health({ settled: 9 }, { lagSeconds: 29 }).level).toBe('good');
  expect(health({ settled: 9 }, { lagSeconds: 180 })).toMatchObject({
    level: 'waiting',
    sentence: 'The numbers are 3 min behind the ledger. Payments go on.',
  });
});

describe('subscriptions', () => {
  const pastDue = { standing: { past_due: 1 } };
  const disputed = { invoices: { disputed: { usd: 7.99, usd_exact: '7.990000' } } };

  it.each([
    [{ settled: 1 }, pastDue, 'waiting', 'The only payment settled. 1 subscription is past due.'],
    [{}, { standing: { past_due: 2 } }, 'waiting', 'No payment yet. 2 subscriptions are past due.'],
    [
      { needs_reconciliation: 1 },
      { ...pastDue, ...disputed },
      'trouble',
      '1 payment needs a person. 1 subscription is past due. Invoices of 7.99 USD are in dispute.',
    ],
    [
      { settled: 1 },
      { lag_seconds: 90 },
      'waiting',
      'The only payment settled. Subscriptions are 1 min behind billing.',
    ],
  ])('follow the payments: %j, %j are %s', (settlement, subscriptions, level, sentence) =>
    expect(health(settlement, subscriptions)).toMatchObject({ level, sentence, subscriptions: true }),
  );

  it('that were won back in a dispute are no concern', () => {
    const won = { invoices: { disputed: { usd: -7.99, usd_exact: '-7.990000' } } };
    expect(health({ settled: 1 }, won)).toEqual(health({ settled: 1 }));
  });
});
