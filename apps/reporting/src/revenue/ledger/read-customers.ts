import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { readMicros, usdAmount } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import {
  AsOfView,
  ComparedWindowView,
  Is,
  Money,
  numbersOf,
  PreviousOf,
  spanView,
  WindowView,
} from '../figures/figures';
import { type Basis, BASES, isBeforeFirst, SpanRows } from '../figures/span-rows';
import { comparisonOf, type Span, wholeOf, windowOf } from '../figures/window';
import { viewOf } from '../payments/row-view';
import type { Read } from '../revenue-snapshot';
import {
  CUSTOMER_SORTS,
  customerCursorOf,
  type CustomerRow,
  type CustomerSort,
  type CustomersQuery,
  CustomerWindowView,
  PayerView,
  rankCustomers,
  spentBy,
} from './rank-customers';

class CustomerChangeView {
  @Is.member('in the days before') before!: CustomerWindowView;
  @Is.member('in the side of the window that these are compared with') compared!: CustomerWindowView;
  @Is.member('spend of `compared` less that of `before`') spend!: Money;
}

class CustomerCreditsView {
  @Is.count() issued!: number;
  @Is.count() redeemed!: number;
  @Is.count('issued less redeemed, also what has expired') outstanding!: number;
}

export class CustomerView extends PayerView {
  @Is.count() rank!: number;
  @Is.member() credits!: CustomerCreditsView;
  @Is.referred(CustomerWindowView, { required: false, description: 'of the days that were asked for' })
  window?: CustomerWindowView;
  @Is.referred(CustomerChangeView, {
    required: false,
    description: 'with compare=previous, where there is something to compare with',
  })
  change?: CustomerChangeView;
}

class TierShareView {
  @Is.oneOf(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Is.count() wallets!: number;
}

class RebatesView {
  @Is.member() rebate_issued!: Money;
  @Is.member('prices of the calls that credits have paid') rebate_redeemed!: Money;
  @Is.member('face value beyond these prices, back with the wallets') returned_change!: Money;
  @Is.count() credits_issued!: number;
  @Is.count() credits_redeemed!: number;
  @Is.count() credits_outstanding!: number;
  @Is.member('issued and not redeemed, whether still worth anything or not') outstanding_face_value!: Money;
  @Is.count('of those outstanding, what nothing is owed for any more') credits_expired!: number;
  @Is.member('of the outstanding face value') expired_face_value!: Money;
  @Is.member('calls owed now: the outstanding face value less what of it has expired') liability!: Money;
}

class PreviousCustomersView extends PreviousOf(ComparedWindowView) {}

export class CustomersView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @Is.count('customers in this answer') count!: number;
  @Is.listOf(CustomerView, 'by `sort`, then first seen') customers!: CustomerView[];
  @Is.listOf(TierShareView, 'all wallets that have paid, lowest tier first') tier_distribution!: TierShareView[];
  @Is.member() rebates!: RebatesView;
  @Is.referred(WindowView, {
    required: false,
    description: 'when days were asked for: only wallets that paid on them are listed',
  })
  window?: WindowView;
  @Is.oneOf(CUSTOMER_SORTS) sort!: CustomerSort;
  @Is.oneOf(BASES, 'of what was spent on the days') basis!: Basis;
  @Is.textOrNull('query `cursor` of the next page; null on the last') next_cursor!: string | null;
  @Is.previous(PreviousCustomersView) previous?: PreviousCustomersView | null;
}

const REBATES = `
  SELECT coalesce(sum(credits_issued), 0)::bigint AS issued, coalesce(sum(credits_redeemed), 0)::bigint AS redeemed,
    coalesce(sum(rebate_issued_micros), 0)::bigint AS face, coalesce(sum(change_micros), 0)::bigint AS change,
    (SELECT coalesce(sum(rebate_redeemed_micros), 0) FROM daily_totals)::bigint AS price,
    coalesce(max(expired), 0) AS expired, coalesce(max(expired_micros), 0) AS expired_face
  FROM wallet_totals, (
    SELECT count(*) AS expired, coalesce(sum(face_micros), 0)::bigint AS expired_micros
    FROM credits WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND expires_at <= $1
  ) no_longer_owed`;
const REBATE_NAMES = ['issued', 'redeemed', 'face', 'change', 'price', 'expired', 'expired_face'] as const;

/** Wallets that have paid, in one of their orders, and the rebates of all wallets; a cursor of another order is refused. */
export const readCustomers: Read<CustomersQuery, CustomersView> = async (tx, now, query) => {
  const { limit, period, basis, sort, after, compare } = query;
  const window = period && windowOf(period, now);
  const span = window && wholeOf(window);
  const asked = period && compare && comparisonOf(period, now);
  const sides =
    asked && !isBeforeFirst(asked.before, await new SpanRows(tx, basis).firstPaymentDay()) ? asked : undefined;
  const found = await rankCustomers(tx, query, span, sides);
  const rows = found.slice(0, limit);
  const wallets = rows.map(({ wallet }) => wallet);
  const spentIn = async (days: Span | undefined) => days && spentBy(tx, basis, wallets, days);
  const [spent, before, compared] = [await spentIn(span), await spentIn(sides?.before), await spentIn(sides?.current)];
  const last = rows.at(-1);
  const rankOf = (index: number): number => (after?.rank ?? 0) + index + 1;
  return {
    limit,
    count: rows.length,
    customers: rows.map((row, index) => ({
      ...customerView(row, rankOf(index)),
      ...(spent && { window: spent.get(row.wallet) ?? NOTHING }),
      ...(before && compared && { change: changeView(before.get(row.wallet), compared.get(row.wallet)) }),
    })),
    tier_distribution: await tierDistribution(tx),
    rebates: await readRebates(tx, now),
    ...(window && { window }),
    sort,
    basis,
    next_cursor:
      last && found.length > limit ? customerCursorOf(sort, { ...last, rank: rankOf(rows.length - 1) }) : null,
    ...(compare && { previous: sides ? { ...spanView(sides.before), compared: spanView(sides.current) } : null }),
  };
};

function customerView({ value: _, first_micros: __, ...row }: CustomerRow, rank: number): CustomerView {
  const { issued, redeemed, outstanding, ...payer } = row;
  const credits = numbersOf({ issued, redeemed, outstanding }, ['issued', 'redeemed', 'outstanding']);
  return { rank, ...viewOf<PayerView>(payer), credits };
}

const NOTHING: CustomerWindowView = { spend: usdAmount(0), paid_calls: 0 };

function changeView(before = NOTHING, compared = NOTHING): CustomerChangeView {
  const [was, is] = [before, compared].map(({ spend }) => Number(spend.usd_exact.replace('.', '')));
  return { before, compared, spend: usdAmount(is! - was!) };
}

async function tierDistribution(tx: EntityManager): Promise<TierShareView[]> {
  const rows = await tx.query<{ tier: string; wallets: string }[]>(
    'SELECT tier, count(*) AS wallets FROM wallet_totals WHERE tier IS NOT NULL GROUP BY tier',
  );
  const wallets = new Map(rows.map((row) => [row.tier, readMicros(row.wallets)]));
  return REBATE_TIER_NAMES.map((tier) => ({ tier, wallets: wallets.get(tier) ?? 0 }));
}

/** Credits of all wallets: issued less redeemed is outstanding, in number and in money. */
async function readRebates(tx: EntityManager, now: Date): Promise<RebatesView> {
  const [row] = await tx.query<[Record<(typeof REBATE_NAMES)[number], string>]>(REBATES, [now]);
  const { issued, redeemed, face, change, price, expired, expired_face } = numbersOf(row, REBATE_NAMES);
  const outstanding = face - price - change;
  return {
    rebate_issued: usdAmount(face),
    rebate_redeemed: usdAmount(price),
    returned_change: usdAmount(change),
    credits_issued: issued,
    credits_redeemed: redeemed,
    credits_outstanding: issued - redeemed,
    outstanding_face_value: usdAmount(outstanding),
    credits_expired: expired,
    expired_face_value: usdAmount(expired_face),
    liability: usdAmount(outstanding - expired_face),
  };
}
