import { REBATE_TIER_NAMES } from '@evenkeel/contracts';
import type { CreditStory, History, PaymentStory } from '../projection/history.fixture';
import { outcomeOf } from '../projection/history.fixture';
import { countsAt, DAY_MS, exact, type Stretch } from './counted.fixture';
import type { Basis } from './figures/basis';
import type { CustomerSort } from './ledger/rank-customers';

const FACE = 100_000;
const monthOf = (at: Date) => at.toISOString().slice(0, 7);
const isIn = (at: Date, { fromMs, untilMs }: Stretch) => at.getTime() >= fromMs && at.getTime() < untilMs;
const sum = (micros: readonly number[]) => micros.reduce((total, amount) => total + BigInt(amount), 0n);
const money = (micros: bigint) => expect.objectContaining({ usd_exact: exact(micros) }) as object;

function byWallet<Row extends { wallet: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const wallets = new Map<string, Row[]>();
  for (const row of rows) {
    const known = wallets.get(row.wallet);
    if (known) known.push(row);
    else wallets.set(row.wallet, [row]);
  }
  return wallets;
}

/** Settled payments by wallet. */
function paidByWallet({ payments }: History): Map<string, PaymentStory[]> {
  return byWallet(payments.filter((payment) => outcomeOf(payment) === 'settled'));
}

function spent(payments: readonly PaymentStory[], basis: Basis, stretch: Stretch) {
  const within = payments.filter((payment) => isIn(countsAt(payment, basis), stretch));
  return { micros: sum(within.map(({ amountMicros }) => amountMicros)), calls: within.length };
}

const spentView = ({ micros, calls }: { micros: bigint; calls: number }) => ({
  spend: money(micros),
  paid_calls: calls,
});

export interface CustomersAsked {
  sort: CustomerSort;
  basis: Basis;
  window: Stretch;
  /** Both sides of the comparison; null where there is nothing to compare with. */
  sides: { current: Stretch; earlier: Stretch } | null;
}

/** The highest tier that a payment of a wallet has brought: their names sort as they do. */
const tierOf = (paid: readonly PaymentStory[]) =>
  paid
    .map(({ tier }) => tier)
    .sort()
    .at(-1)!;

/** All wallets that have paid, by tier. */
export function countedTiers(history: History): object[] {
  const tiers = [...paidByWallet(history).values()].map(tierOf);
  return REBATE_TIER_NAMES.map((tier) => ({ tier, wallets: tiers.filter((one) => one === tier).length }));
}

/** Rebates and credits of a wallet, whatever the window. */
function countedRebate(paid: readonly PaymentStory[], credits: readonly CreditStory[]) {
  const issued = credits.filter(({ issuedAt }) => issuedAt !== null).length;
  const redeemed = credits.filter(({ redeemedAt }) => redeemedAt !== null);
  const earned = sum([
    ...paid.map(({ rebateMicros }) => rebateMicros),
    ...redeemed.map(({ changeMicros }) => changeMicros),
  ]);
  return {
    tier: tierOf(paid),
    credit_calls: redeemed.length,
    rebate_accrued: money(earned - BigInt(issued * FACE)),
    rebate_issued: money(BigInt(issued * FACE)),
    credits: { issued, redeemed: redeemed.length, outstanding: issued - redeemed.length },
  };
}

/** Customers that paid in a window, in their order, counted by loops from the whole history. */
export function countedCustomers(history: History, { sort, basis, window, sides }: CustomersAsked): object[] {
  const creditsOf = byWallet(history.credits);
  const rows = [...paidByWallet(history)].flatMap(([wallet, paid]) => {
    const times = paid.map(({ verifiedAt }) => verifiedAt.getTime());
    const inWindow = spent(paid, basis, window);
    const fall = sides ? spent(paid, basis, sides.earlier).micros - spent(paid, basis, sides.current).micros : 0n;
    if (sort === 'window_fall' ? fall <= 0n : inWindow.calls === 0) return [];
    const lifetime = sum(paid.map(({ amountMicros }) => amountMicros));
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const value = {
      lifetime_spend: lifetime,
      paid_calls: BigInt(paid.length),
      last_payment: BigInt(last),
      window_spend: inWindow.micros,
      window_fall: fall,
    }[sort];
    return [{ wallet, value, first, last, lifetime, paid, inWindow }];
  });
  rows.sort((one, other) => {
    if (one.value !== other.value) return one.value > other.value ? -1 : 1;
    return one.first - other.first || (one.wallet < other.wallet ? -1 : 1);
  });
  return rows.map(({ wallet, first, last, lifetime, paid, inWindow }, index) => {
    const [compared, before] = sides ? [spent(paid, basis, sides.current), spent(paid, basis, sides.earlier)] : [];
    return {
      rank: index + 1,
      wallet: expect.stringMatching(new RegExp(`^${wallet}$`, 'i')) as string,
      lifetime_spend: money(lifetime),
      paid_calls: paid.length,
      ...countedRebate(paid, creditsOf.get(wallet) ?? []),
      first_payment_at: new Date(first).toISOString(),
      last_payment_at: new Date(last).toISOString(),
      window: spentView(inWindow),
      ...(compared &&
        before && {
          change: {
            compared: spentView(compared),
            before: spentView(before),
            spend: money(compared.micros - before.micros),
          },
        }),
    };
  });
}

interface Flows {
  issued: CreditStory[];
  redeemed: CreditStory[];
  expired: CreditStory[];
}

/** Issued, redeemed, and expired without having been redeemed, at a time. */
function flowsIn(credits: readonly CreditStory[], stretch: Stretch, now: Date): Flows {
  return {
    issued: credits.filter(({ issuedAt }) => issuedAt && isIn(issuedAt, stretch)),
    redeemed: credits.filter(({ redeemedAt }) => redeemedAt && isIn(redeemedAt, stretch)),
    expired: credits.filter(
      ({ issuedAt, redeemedAt, expiresAt }) =>
        issuedAt && !redeemedAt && expiresAt && expiresAt <= now && isIn(expiresAt, stretch),
    ),
  };
}

/** The liability of a window, and of each of its days. */
export function countedCredits({ credits }: History, { fromMs, untilMs }: Stretch, now: Date): object {
  const flow = (count: number) => ({ credits: count, face_value: money(BigInt(count * FACE)) });
  const owedAfter = (end: number) => {
    const { issued, redeemed, expired } = flowsIn(credits, { fromMs: -Infinity, untilMs: end }, now);
    return issued.length - redeemed.length - expired.length;
  };
  const flows = (stretch: Stretch) => {
    const { issued, redeemed, expired } = flowsIn(credits, stretch, now);
    return {
      issued: flow(issued.length),
      redeemed: flow(redeemed.length),
      expired: flow(expired.length),
      closing: flow(owedAfter(stretch.untilMs)),
    };
  };
  const { redeemed } = flowsIn(credits, { fromMs, untilMs }, now);
  const days = Array.from({ length: (untilMs - fromMs) / DAY_MS }, (_, index) => fromMs + index * DAY_MS);
  return {
    opening: flow(owedAfter(fromMs)),
    ...flows({ fromMs, untilMs }),
    rebate_redeemed: money(sum(redeemed.map(({ priceMicros }) => priceMicros))),
    returned_change: money(sum(redeemed.map(({ changeMicros }) => changeMicros))),
    points: days.map((day) => ({
      date: new Date(day).toISOString().slice(0, 10),
      ...flows({ fromMs: day, untilMs: day + DAY_MS }),
    })),
  };
}

/** The credits of all wallets, from the first to the present one. */
export function countedRebates({ credits }: History, now: Date): object {
  const { issued, redeemed, expired } = flowsIn(credits, { fromMs: -Infinity, untilMs: Infinity }, now);
  const face = (count: number) => money(BigInt(count * FACE));
  return {
    rebate_issued: face(issued.length),
    credits_issued: issued.length,
    rebate_redeemed: money(sum(redeemed.map(({ priceMicros }) => priceMicros))),
    returned_change: money(sum(redeemed.map(({ changeMicros }) => changeMicros))),
    credits_redeemed: redeemed.length,
    credits_outstanding: issued.length - redeemed.length,
    outstanding_face_value: face(issued.length - redeemed.length),
    credits_expired: expired.length,
    expired_face_value: face(expired.length),
    liability: face(issued.length - redeemed.length - expired.length),
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
      gross_revenue: money(sum(own.flat().map(({ amountMicros }) => amountMicros))),
      months: monthsFrom(month, present.slice(0, 7)).map((name) => {
        const paid = own.flat().filter(({ verifiedAt }) => monthOf(verifiedAt) === name);
        const active = new Set(paid.map(({ wallet }) => wallet)).size;
        return {
          month: name,
          active_wallets: active,
          retention_pct: own.length === 0 ? 0 : Math.round((active * 10_000) / own.length) / 100,
          paid_calls: paid.length,
          gross_revenue: money(sum(paid.map(({ amountMicros }) => amountMicros))),
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
