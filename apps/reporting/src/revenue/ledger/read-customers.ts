import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { getAddress } from 'viem';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { RevenueSnapshot } from '../revenue-snapshot';
import { AsOfView, Money, WindowView } from '../figures/figures';
import { ALL_ENDPOINTS } from '../figures/payers';
import { dayOf, type Period, windowOf } from '../figures/window';

class CustomerWindowView {
  @ApiProperty({ description: 'settled payments whose calls were on these days' }) spend!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
}

class CustomerCreditsView {
  @ApiProperty({ type: 'integer' }) issued!: number;
  @ApiProperty({ type: 'integer' }) redeemed!: number;
  @ApiProperty({ type: 'integer', description: 'issued less redeemed' }) outstanding!: number;
}

@ApiExtraModels(CustomerWindowView)
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
  @ApiProperty({ description: 'a liability: calls owed' }) outstanding_face_value!: Money;
  @ApiProperty({ type: 'integer', description: 'of those outstanding, what nothing is owed for any more' })
  credits_expired!: number;
  @ApiProperty({ description: 'of the outstanding face value' }) expired_face_value!: Money;
}

@ApiExtraModels(WindowView)
export class CustomersView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'customers in this answer' }) count!: number;
  @ApiProperty({ type: [CustomerView], description: 'by lifetime spend, then first seen' }) customers!: CustomerView[];
  @ApiProperty({ type: [TierShareView], description: 'all wallets that have paid, lowest tier first' })
  tier_distribution!: TierShareView[];
  @ApiProperty() rebates!: RebatesView;
  @ApiProperty({
    required: false,
    description: 'when days were asked for: only wallets that paid on them are listed',
    allOf: [{ $ref: getSchemaPath(WindowView) }],
  })
  window?: WindowView;
}

/** Days that are over from their sums, the present one from its rows. */
const EXPIRED = `
  SELECT coalesce(sum(credits), 0)::bigint AS credits, coalesce(sum(face), 0)::bigint AS face FROM (
    SELECT expiring AS credits, expiring_face_micros AS face FROM credit_days WHERE day < $1
    UNION ALL
    SELECT 1, face_micros FROM credits WHERE redeemed_at IS NULL AND expires_at >= $2 AND expires_at <= $3
  ) expired`;

interface RebateRow {
  issued: string;
  redeemed: string;
  outstanding: string;
  issued_face_micros: string;
  redeemed_price_micros: string;
  change_micros: string;
  outstanding_face_micros: string;
}

interface Row {
  wallet: string;
  tier: RebateTierName;
  lifetime_micros: string;
  paid_calls: string;
  credit_calls: string;
  first_payment_at: Date;
  last_payment_at: Date;
  rebate_accrued_micros: string;
  rebate_issued_micros: string;
  credits_issued: string;
  credits_redeemed: string;
  credits_outstanding: string;
}

const RANKING = `
  SELECT wallet, tier, lifetime_micros, paid_calls, credit_calls, first_payment_at, last_payment_at, rebate_accrued_micros,
    rebate_issued_micros, credits_issued, credits_redeemed, credits_outstanding
  FROM wallet_totals t WHERE paid_calls > 0`;

const RANKED = 'ORDER BY lifetime_micros DESC, first_payment_at, wallet LIMIT $1';

// A look into an index for each wallet, from the first of the ranking on, until there are enough.
const PAID_WITHIN = `
  first_payment_at < $3::timestamptz + interval '24 hours' AND last_payment_at >= $2::timestamptz
  AND EXISTS (
    SELECT FROM daily_payers p
    WHERE p.endpoint = $4 AND p.wallet = t.wallet AND p.day BETWEEN $2::date AND $3::date AND p.call_hours <> 0
  )`;

const SPENT_WITHIN = `
  SELECT wallet, sum(gross_micros)::bigint AS spend, sum(paid_calls)::bigint AS paid FROM daily_payers
  WHERE endpoint = $1 AND wallet = ANY ($2) AND day BETWEEN $3 AND $4 GROUP BY wallet`;

interface Customers {
  rows: Row[];
  spent: ReadonlyMap<string, CustomerWindowView>;
}

export interface CustomersQuestion {
  limit: number;
  /** Undefined for all wallets. */
  period: Period | undefined;
}

/** Wallets that have paid, by lifetime spend, and the rebates of all wallets. */
@Injectable()
export class ReadCustomers {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute({ limit, period }: CustomersQuestion): Promise<CustomersView> {
    const now = this.clock.now();
    const window = period ? windowOf(period, now) : null;
    return this.snapshot.read(async (tx) => {
      const { rows, spent } = window ? await customersWithin(tx, window, limit) : await allCustomers(tx, limit);
      return {
        limit,
        count: rows.length,
        customers: rows.map((row, index) => customerView(row, index + 1, spent.get(row.wallet))),
        tier_distribution: await tierDistribution(tx),
        rebates: await readRebates(tx, now),
        ...(window && { window }),
      };
    });
  }
}

async function allCustomers(tx: EntityManager, limit: number): Promise<Customers> {
  return { rows: await tx.query<Row[]>(`${RANKING} ${RANKED}`, [limit]), spent: new Map() };
}

async function customersWithin(tx: EntityManager, { from, to }: WindowView, limit: number): Promise<Customers> {
  const days = [`${from}T00:00:00Z`, `${to}T00:00:00Z`];
  const rows = await tx.query<Row[]>(`${RANKING} AND ${PAID_WITHIN} ${RANKED}`, [limit, ...days, ALL_ENDPOINTS]);
  const wallets = rows.map(({ wallet }) => wallet);
  const spent = await tx.query<{ wallet: string; spend: string; paid: string }[]>(SPENT_WITHIN, [
    ...[ALL_ENDPOINTS, wallets, from, to],
  ]);
  const views = spent.map(({ wallet, spend, paid }): [string, CustomerWindowView] => [
    wallet,
    { spend: usdAmount(readMicros(spend)), paid_calls: readMicros(paid) },
  ]);
  return { rows, spent: new Map(views) };
}

function customerView(row: Row, rank: number, window: CustomerWindowView | undefined): CustomerView {
  return {
    rank,
    wallet: getAddress(row.wallet),
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
    ...(window && { window }),
  };
}

async function tierDistribution(tx: EntityManager): Promise<TierShareView[]> {
  const rows = await tx.query<{ tier: string; wallets: string }[]>('SELECT tier, wallets FROM tier_totals');
  const wallets = new Map(rows.map((row) => [row.tier, readMicros(row.wallets)]));
  return REBATE_TIER_NAMES.map((tier) => ({ tier, wallets: wallets.get(tier) ?? 0 }));
}

/** Credits of all wallets: issued less redeemed is outstanding, in number and in money (D-121). */
async function readRebates(tx: EntityManager, now: Date): Promise<RebatesView> {
  const [row] = await tx.query<RebateRow[]>(
    `SELECT issued, redeemed, outstanding, issued_face_micros, redeemed_price_micros, change_micros,
       outstanding_face_micros FROM credit_totals`,
  );
  const [expired] = await tx.query<[{ credits: string; face: string }]>(EXPIRED, [
    dayOf(now.getTime()),
    `${dayOf(now.getTime())}T00:00:00Z`,
    now,
  ]);
  return {
    rebate_issued: usdAmount(readMicros(row!.issued_face_micros)),
    rebate_redeemed: usdAmount(readMicros(row!.redeemed_price_micros)),
    returned_change: usdAmount(readMicros(row!.change_micros)),
    credits_issued: readMicros(row!.issued),
    credits_redeemed: readMicros(row!.redeemed),
    credits_outstanding: readMicros(row!.outstanding),
    outstanding_face_value: usdAmount(readMicros(row!.outstanding_face_micros)),
    credits_expired: readMicros(expired.credits),
    expired_face_value: usdAmount(readMicros(expired.face)),
  };
}
