import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { checksummed } from '../payments/checksummed';
import { RevenueSnapshot } from '../revenue-snapshot';
import { AsOfView, ComparedWindowView, Money, spanView, WindowView } from '../figures/figures';
import { firstPaymentDay, isBeforeFirst } from '../figures/first-payment';
import { type Comparison, comparisonOf, type Span, windowOf } from '../figures/window';
import { type Basis, BASES } from '../figures/basis';
import type { CustomersOrder } from './customers-query';
import {
  CUSTOMER_SORTS,
  customerCursorOf,
  type CustomerRow,
  type CustomerSort,
  NOTHING_SPENT,
  rankCustomers,
  spentBy,
  type Spent,
} from './rank-customers';

class CustomerWindowView {
  @ApiProperty({ description: 'settled payments of these days, by `basis`' }) spend!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
}

class CustomerChangeView {
  @ApiProperty({ description: 'in the days before' }) before!: CustomerWindowView;
  @ApiProperty({ description: 'in the side of the window that these are compared with' })
  compared!: CustomerWindowView;
  @ApiProperty({ description: 'spend of `compared` less that of `before`' }) spend!: Money;
}

class CustomerCreditsView {
  @ApiProperty({ type: 'integer' }) issued!: number;
  @ApiProperty({ type: 'integer' }) redeemed!: number;
  @ApiProperty({ type: 'integer', description: 'issued less redeemed, also what has expired' }) outstanding!: number;
}

@ApiExtraModels(CustomerWindowView, CustomerChangeView)
export class CustomerView {
  @ApiProperty({ type: 'integer' }) rank!: number;
  @ApiProperty({ description: 'checksummed' }) wallet!: string;
  @ApiProperty({ enum: REBATE_TIER_NAMES }) tier!: RebateTierName;
  @ApiProperty() lifetime_spend!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty({ format: 'date-time' }) first_payment_at!: string;
  @ApiProperty({ format: 'date-time' }) last_payment_at!: string;
  @ApiProperty({ description: 'rebate and change that have not become a credit yet' }) rebate_accrued!: Money;
  @ApiProperty({ description: 'face value of the credits issued' }) rebate_issued!: Money;
  @ApiProperty() credits!: CustomerCreditsView;
  @ApiProperty({
    required: false,
    description: 'of the days that were asked for',
    allOf: [{ $ref: getSchemaPath(CustomerWindowView) }],
  })
  window?: CustomerWindowView;
  @ApiProperty({
    required: false,
    description: 'with compare=previous, where there is something to compare with',
    allOf: [{ $ref: getSchemaPath(CustomerChangeView) }],
  })
  change?: CustomerChangeView;
}

class TierShareView {
  @ApiProperty({ enum: REBATE_TIER_NAMES }) tier!: RebateTierName;
  @ApiProperty({ type: 'integer' }) wallets!: number;
}

class RebatesView {
  @ApiProperty() rebate_issued!: Money;
  @ApiProperty({ description: 'prices of the calls that credits have paid' }) rebate_redeemed!: Money;
  @ApiProperty({ description: 'face value beyond these prices, back with the wallets' }) returned_change!: Money;
  @ApiProperty({ type: 'integer' }) credits_issued!: number;
  @ApiProperty({ type: 'integer' }) credits_redeemed!: number;
  @ApiProperty({ type: 'integer' }) credits_outstanding!: number;
  @ApiProperty({ description: 'issued and not redeemed, whether still worth anything or not' })
  outstanding_face_value!: Money;
  @ApiProperty({ type: 'integer', description: 'of those outstanding, what nothing is owed for any more' })
  credits_expired!: number;
  @ApiProperty({ description: 'of the outstanding face value' }) expired_face_value!: Money;
  @ApiProperty({ description: 'calls owed now: the outstanding face value less what of it has expired' })
  liability!: Money;
}

class PreviousCustomersView extends ComparedWindowView {
  @ApiProperty({ description: 'the side of the window that these are compared with' })
  compared!: ComparedWindowView;
}

@ApiExtraModels(WindowView, PreviousCustomersView)
export class CustomersView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'customers in this answer' }) count!: number;
  @ApiProperty({ type: [CustomerView], description: 'by `sort`, then first seen' }) customers!: CustomerView[];
  @ApiProperty({ type: [TierShareView], description: 'all wallets that have paid, lowest tier first' })
  tier_distribution!: TierShareView[];
  @ApiProperty() rebates!: RebatesView;
  @ApiProperty({
    required: false,
    description: 'when days were asked for: only wallets that paid on them are listed',
    allOf: [{ $ref: getSchemaPath(WindowView) }],
  })
  window?: WindowView;
  @ApiProperty({ enum: CUSTOMER_SORTS }) sort!: CustomerSort;
  @ApiProperty({ enum: BASES, description: 'of what was spent on the days' }) basis!: Basis;
  @ApiProperty({ nullable: true, type: String, description: 'query `cursor` of the next page; null on the last' })
  next_cursor!: string | null;
  @ApiProperty({
    required: false,
    nullable: true,
    description: 'with compare=previous: the same weekdays before; null when they would begin before the first payment',
    allOf: [{ $ref: getSchemaPath(PreviousCustomersView) }],
  })
  previous?: PreviousCustomersView | null;
}

const REBATES = `
  SELECT sum(credits_issued)::bigint AS issued, sum(credits_redeemed)::bigint AS redeemed,
    sum(rebate_issued_micros)::bigint AS issued_face_micros, sum(change_micros)::bigint AS change_micros,
    (SELECT sum(rebate_redeemed_micros) FROM daily_totals)::bigint AS redeemed_price_micros
  FROM wallet_totals`;

const EXPIRED = `
  SELECT count(*) AS credits, coalesce(sum(face_micros), 0)::bigint AS face
  FROM credits WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND expires_at <= $1`;

type RebateRow = Record<
  'issued' | 'redeemed' | 'issued_face_micros' | 'redeemed_price_micros' | 'change_micros',
  string | null
>;

/** The spend of wallets in both windows of a comparison. */
interface Change {
  comparison: Comparison;
  before: ReadonlyMap<string, Spent>;
  compared: ReadonlyMap<string, Spent>;
}

export interface CustomersQuestion extends CustomersOrder {
  limit: number;
}

/** Wallets that have paid, in one of their orders, and the rebates of all wallets. */
@Injectable()
export class ReadCustomers {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute({ limit, period, basis, sort, after, compare }: CustomersQuestion): Promise<CustomersView> {
    const now = this.clock.now();
    const window = period && windowOf(period, now);
    const span = window && { ...window, until: null };
    return this.snapshot.read(async (tx) => {
      const comparison = period && compare ? await comparedWith(tx, basis, comparisonOf(period, now)) : undefined;
      const found = await rankCustomers(tx, { sort, basis, limit, after, span, comparison });
      const rows = found.slice(0, limit);
      const wallets = rows.map(({ wallet }) => wallet);
      const spentIn = (days: Span) => spentBy(tx, basis, wallets, days);
      const spent = span && (await spentIn(span));
      const change = comparison
        ? { comparison, before: await spentIn(comparison.before), compared: await spentIn(comparison.current) }
        : null;
      const ranked = rows.map((row, index) => ({ ...row, rank: (after?.rank ?? 0) + index + 1 }));
      const last = ranked.at(-1);
      return {
        limit,
        count: rows.length,
        customers: ranked.map((row) => customerView(row, spent, change)),
        tier_distribution: await tierDistribution(tx),
        rebates: await readRebates(tx, now),
        ...(window && { window }),
        sort,
        basis,
        next_cursor: last && found.length > limit ? customerCursorOf(sort, last) : null,
        ...(compare && { previous: change && previousView(change.comparison) }),
      };
    });
  }
}

/** Undefined where there is nothing to compare with. */
async function comparedWith(tx: EntityManager, basis: Basis, comparison: Comparison): Promise<Comparison | undefined> {
  return isBeforeFirst(comparison.before, await firstPaymentDay(tx, basis)) ? undefined : comparison;
}

function previousView({ before, current }: Comparison): PreviousCustomersView {
  return { ...spanView(before), compared: spanView(current) };
}

function customerView(
  row: CustomerRow & { rank: number },
  spent: ReadonlyMap<string, Spent> | undefined,
  change: Change | null,
): CustomerView {
  return {
    rank: row.rank,
    wallet: checksummed(row.wallet),
    tier: row.tier,
    lifetime_spend: usdAmount(readMicros(row.lifetime_micros)),
    paid_calls: readMicros(row.paid_calls),
    credit_calls: readMicros(row.credit_calls),
    first_payment_at: row.first_payment_at.toISOString(),
    last_payment_at: row.last_payment_at.toISOString(),
    rebate_accrued: usdAmount(readMicros(row.rebate_accrued_micros)),
    rebate_issued: usdAmount(readMicros(row.rebate_issued_micros)),
    credits: {
      issued: readMicros(row.credits_issued),
      redeemed: readMicros(row.credits_redeemed),
      outstanding: readMicros(row.credits_outstanding),
    },
    ...(spent && { window: spentView(spent.get(row.wallet)) }),
    ...(change && { change: changeView(change.before.get(row.wallet), change.compared.get(row.wallet)) }),
  };
}

function spentView({ micros, calls }: Spent = NOTHING_SPENT): CustomerWindowView {
  return { spend: usdAmount(micros), paid_calls: calls };
}

function changeView(before: Spent = NOTHING_SPENT, compared: Spent = NOTHING_SPENT): CustomerChangeView {
  return {
    before: spentView(before),
    compared: spentView(compared),
    spend: usdAmount(compared.micros - before.micros),
  };
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
  const [row] = await tx.query<[RebateRow]>(REBATES);
  const [expired] = await tx.query<[{ credits: string; face: string }]>(EXPIRED, [now]);
  const sum = (name: keyof RebateRow): number => readMicros(row[name] ?? '0');
  const [issued, redeemed] = [sum('issued'), sum('redeemed')];
  const outstandingMicros = sum('issued_face_micros') - sum('redeemed_price_micros') - sum('change_micros');
  return {
    rebate_issued: usdAmount(sum('issued_face_micros')),
    rebate_redeemed: usdAmount(sum('redeemed_price_micros')),
    returned_change: usdAmount(sum('change_micros')),
    credits_issued: issued,
    credits_redeemed: redeemed,
    credits_outstanding: issued - redeemed,
    outstanding_face_value: usdAmount(outstandingMicros),
    credits_expired: readMicros(expired.credits),
    expired_face_value: usdAmount(readMicros(expired.face)),
    liability: usdAmount(outstandingMicros - readMicros(expired.face)),
  };
}
