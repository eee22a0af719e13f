import { REBATE_TIER_NAMES } from '@evenkeel/contracts';
import { outcomeOf, type CreditStory, type History, type PaymentStory } from '../projection/history.fixture';
import { countsAt, DAY_MS, dayOf, EVER, grouped, isIn, money, type Stretch, total } from './counted.fixture';
import type { Basis } from './figures/span-rows';
import type { CustomerSort } from './ledger/rank-customers';

const FACE = 100_000;
const monthOf = (at: Date) => at.toISOString().slice(0, 7);
const amountOf = (payments: readonly PaymentStory[]) => total(payments.map(({ amountMicros }) => amountMicros));

const paidByWallet = ({ payments }: History) =>
  grouped(
    payments.filter((payment) => outcomeOf(payment) === 'settled'),
    ({ wallet }) => wallet,
  );

function spent(payments: readonly PaymentStory[], basis: Basis, stretch: Stretch) {
  const within = payments.filter((payment) => isIn(countsAt(payment, basis), stretch));
  return { micros: amountOf(within), calls: within.length };
}

const spentView = ({ micros, calls }: ReturnType<typeof spent>) => ({ spend: money(micros), paid_calls: calls });

/** The highest tier that a payment of a wallet has brought: their names sort as they do. */
const tierOf = (paid: readonly PaymentStory[]) =>
  paid
    .map(({ tier }) => tier)
    .sort()
    .at(-1)!;

export function countedTiers(history: History): object[] {
  const tiers = [...paidByWallet(history).values()].map(tierOf);
  return REBATE_TIER_NAMES.map((tier) => ({ tier, wallets: tiers.filter((one) => one === tier).length }));
}

interface CustomersAsked {
  sort: CustomerSort;
  basis: Basis;
  window: Stretch;
  /** Both sides of the comparison; null where there is nothing to compare with. */
  sides: { current: Stretch; earlier: Stretch } | null;
}

/** Customers that paid in a window, in their order, counted from the whole history. */
export function countedCustomers(history: History, { sort, basis, window, sides }: CustomersAsked): object[] {
  const creditsOf = grouped(history.credits, ({ wallet }) => wallet);
  const rows = [...paidByWallet(history)].flatMap(([wallet, paid]) => {
    const times = paid.map(({ verifiedAt }) => verifiedAt.getTime());
    const [first, last, lifetime] = [Math.min(...times), Math.max(...times), amountOf(paid)];
    const inWindow = spent(paid, basis, window);
    const before = sides && spent(paid, basis, sides.earlier);
    const compared = sides && spent(paid, basis, sides.current);
    const change = (compared?.micros ?? 0) - (before?.micros ?? 0);
    if (sort === 'window_fall' ? change >= 0 : inWindow.calls === 0) return [];
    const values = {
      lifetime_spend: lifetime,
      paid_calls: paid.length,
      last_payment: last,
      window_spend: inWindow.micros,
      window_fall: -change,
    };
    const credits = creditsOf.get(wallet) ?? [];
    const issued = credits.filter(({ issuedAt }) => issuedAt !== null).length;
    const redeemed = credits.filter(({ redeemedAt }) => redeemedAt !== null);
    const earned = [...paid.map((one) => one.rebateMicros), ...redeemed.map(({ changeMicros }) => changeMicros)];
    const view = {
      wallet: expect.stringMatching(new RegExp(`^${wallet}$`, 'i')) as string,
      tier: tierOf(paid),
      lifetime_spend: money(lifetime),
      paid_calls: paid.length,
      credit_calls: redeemed.length,
      rebate_accrued: money(total(earned) - issued * FACE),
      rebate_issued: money(issued * FACE),
      credits: { issued, redeemed: redeemed.length, outstanding: issued - redeemed.length },
      first_payment_at: new Date(first).toISOString(),
      last_payment_at: new Date(last).toISOString(),
      window: spentView(inWindow),
      ...(compared &&
        before && { change: { compared: spentView(compared), before: spentView(before), spend: money(change) } }),
    };
    return [{ wallet, first, value: values[sort], view }];
  });
  rows.sort((one, other) => other.value - one.value || one.first - other.first || (one.wallet < other.wallet ? -1 : 1));
  return rows.map(({ view }, index) => ({ rank: index + 1, ...view }));
}

/** Issued, redeemed, and expired without having been redeemed, at a time. */
function flowsIn(credits: readonly CreditStory[], stretch: Stretch, now: Date) {
  const redeemed = credits.filter(({ redeemedAt }) => redeemedAt && isIn(redeemedAt, stretch));
  const issued = credits.filter(({ issuedAt }) => issuedAt && isIn(issuedAt, stretch)).length;
  const expired = credits.filter(
    ({ issuedAt, redeemedAt, expiresAt }) =>
      issuedAt && !redeemedAt && expiresAt && expiresAt <= now && isIn(expiresAt, stretch),
  ).length;
  return {
    issued,
    redeemed: redeemed.length,
    expired,
    owed: issued - redeemed.length - expired,
    price: money(total(redeemed.map(({ priceMicros }) => priceMicros))),
    change: money(total(redeemed.map(({ changeMicros }) => changeMicros))),
  };
}

export function countedCredits({ credits }: History, { fromMs, untilMs }: Stretch, now: Date): object {
  const flow = (count: number) => ({ credits: count, face_value: money(count * FACE) });
  const owedAt = (ms: number) => flow(flowsIn(credits, { fromMs: -Infinity, untilMs: ms }, now).owed);
  const flows = (stretch: Stretch) => {
    const { issued, redeemed, expired } = flowsIn(credits, stretch, now);
    return {
      issued: flow(issued),
      redeemed: flow(redeemed),
      expired: flow(expired),
      closing: owedAt(stretch.untilMs),
    };
  };
  const { price, change } = flowsIn(credits, { fromMs, untilMs }, now);
  const days = Array.from({ length: (untilMs - fromMs) / DAY_MS }, (_, index) => fromMs + index * DAY_MS);
  return {
    opening: owedAt(fromMs),
    ...flows({ fromMs, untilMs }),
    rebate_redeemed: price,
    returned_change: change,
    points: days.map((day) => ({ date: dayOf(day), ...flows({ fromMs: day, untilMs: day + DAY_MS }) })),
  };
}

export function countedRebates({ credits }: History, now: Date): object {
  const { issued, redeemed, expired, owed, price, change } = flowsIn(credits, EVER, now);
  return {
    rebate_issued: money(issued * FACE),
    credits_issued: issued,
    rebate_redeemed: price,
    returned_change: change,
    credits_redeemed: redeemed,
    credits_outstanding: issued - redeemed,
    outstanding_face_value: money((issued - redeemed) * FACE),
    credits_expired: expired,
    expired_face_value: money(expired * FACE),
    liability: money(owed * FACE),
  };
}

/** Wallets by the month of their first payment, for each month from one day to another, followed to the present one. */
export function countedCohorts(history: History, from: string, to: string, present: string): object[] {
  const wallets = [...paidByWallet(history).values()];
  return monthsFrom(from.slice(0, 7), to.slice(0, 7)).map((month) => {
    const own = wallets.filter((paid) => paid.map(({ verifiedAt }) => monthOf(verifiedAt)).sort()[0] === month);
    return {
      month,
      wallets: own.length,
      gross_revenue: money(amountOf(own.flat())),
      months: monthsFrom(month, present.slice(0, 7)).map((name) => {
        const paid = own.flat().filter(({ verifiedAt }) => monthOf(verifiedAt) === name);
        const active = new Set(paid.map(({ wallet }) => wallet)).size;
        const retention = own.length === 0 ? 0 : Math.round((active * 10_000) / own.length) / 100;
        return {
          month: name,
          active_wallets: active,
          retention_pct: retention,
          paid_calls: paid.length,
          gross_revenue: money(amountOf(paid)),
        };
      }),
    };
  });
}

function monthsFrom(first: string, last: string): string[] {
  const months = [];
  for (let at = new Date(`${first}-01T00:00:00Z`); monthOf(at) <= last; at.setUTCMonth(at.getUTCMonth() + 1)) {
    months.push(monthOf(at));
  }
  return months;
}
