import type { SubscriptionState } from '@evenkeel/contracts';
import { countVersions, statedVersion } from './movements';
import { aChange, ANN } from './subscription-history.fixture';

const DAY_1 = '2026-01-01T10:00:00.000Z';

function statedOf(...subscriptions: Partial<SubscriptionState>[]) {
  return statedVersion(aChange(ANN, 1, DAY_1, subscriptions));
}

describe('what a subscription brings in a month', () => {
  const year = (recurringMicros: number) => ({ interval: 'year' as const, recurringMicros });
  it.each([
    ['of a month', { recurringMicros: 7_990_000 }, 7_990_000],
    ['of a year: a twelfth', year(59_990_000), 4_999_167],
    ['half a micro-USD goes up', year(6), 1],
    ['less than half goes down', year(5), 0],
    ['nothing is lost in large amounts', year(9_007_199_254_740_991), 750_599_937_895_083],
    ['past due', { status: 'PAST_DUE' as const }, 7_990_000],
    ['in a trial', { status: 'TRIALING' as const }, 0],
    ['with paused collection', { collectionPaused: true }, 0],
    ['without an interval', { interval: null }, 7_990_000],
  ])('%s', (_what, subscription, micros) => expect(statedOf(subscription).plans).toEqual({ premium_monthly: micros }));

  it('is rounded for each subscription before it is added', () =>
    expect(statedOf(year(6), year(6), { ...year(18), planCode: null }).plans).toEqual({ premium_monthly: 2, '': 2 }));
});

describe('movements', () => {
  /** Each version with these amounts, on these days of January. */
  const movements = (...versions: [day: number, micros: number][]) =>
    countVersions(
      undefined,
      versions.map(([day, recurringMicros], index) => {
        const at = `2026-01-${String(day).padStart(2, '0')}T23:59:59.999Z`;
        return statedVersion(aChange(ANN, index + 1, at, recurringMicros === 0 ? [] : [{ recurringMicros }]));
      }),
    ).map(({ day, movement, movementMicros }) => [Number(day.slice(8)), movement, movementMicros]);

  it('have one kind each', () =>
    expect(movements([1, 0], [2, 5], [3, 8], [4, 8], [5, 3], [6, 0], [7, 4])).toEqual([
      [1, null, 0],
      [2, 'new', 5],
      [3, 'expansion', 3],
      [4, null, 0],
      [5, 'contraction', -5],
      [6, 'churn', -3],
      [7, 'reactivation', 4],
    ]));

  it('count on no earlier day than the version before', () =>
    expect(movements([3, 5], [1, 8], [2, 0], [4, 1])).toEqual([
      [3, 'new', 5],
      [3, 'expansion', 3],
      [3, 'churn', -8],
      [4, 'reactivation', 1],
    ]));
});
