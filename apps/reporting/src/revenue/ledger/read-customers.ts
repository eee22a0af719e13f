import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { getAddress } from 'viem';
import { ApiProperty } from '@nestjs/swagger';
import { RevenueSnapshot } from '../revenue-snapshot';
import { AsOfView, Money } from '../figures/figures';

class CustomerCreditsView {
  @ApiProperty({ type: 'integer' }) issued!: number;
  @ApiProperty({ type: 'integer' }) redeemed!: number;
  @ApiProperty({ type: 'integer', description: 'issued less redeemed' }) outstanding!: number;
}

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
}

export class CustomersView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'customers in this answer' }) count!: number;
  @ApiProperty({ type: [CustomerView], description: 'by lifetime spend, then first seen' }) customers!: CustomerView[];
  @ApiProperty({ type: [TierShareView], description: 'all wallets that have paid, lowest tier first' })
  tier_distribution!: TierShareView[];
  @ApiProperty() rebates!: RebatesView;
}

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
  FROM wallet_totals WHERE paid_calls > 0
  ORDER BY lifetime_micros DESC, first_payment_at, wallet LIMIT $1`;

/** Wallets that have paid, by lifetime spend, and the rebates of all wallets. */
@Injectable()
export class ReadCustomers {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  async execute(limit: number): Promise<CustomersView> {
    return this.snapshot.read(async (tx) => {
      const rows = await tx.query<Row[]>(RANKING, [limit]);
      return {
        limit,
        count: rows.length,
        customers: rows.map((row, index) => customerView(row, index + 1)),
        tier_distribution: await tierDistribution(tx),
        rebates: await readRebates(tx),
      };
    });
  }
}

function customerView(row: Row, rank: number): CustomerView {
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
  };
}

async function tierDistribution(tx: EntityManager): Promise<TierShareView[]> {
  const rows = await tx.query<{ tier: string; wallets: string }[]>('SELECT tier, wallets FROM tier_totals');
  const wallets = new Map(rows.map((row) => [row.tier, readMicros(row.wallets)]));
  return REBATE_TIER_NAMES.map((tier) => ({ tier, wallets: wallets.get(tier) ?? 0 }));
}

/** Credits of all wallets: issued less redeemed is outstanding, in number and in money (D-121). */
async function readRebates(tx: EntityManager): Promise<RebatesView> {
  const [row] = await tx.query<RebateRow[]>(
    `SELECT issued, redeemed, outstanding, issued_face_micros, redeemed_price_micros, change_micros,
       outstanding_face_micros FROM credit_totals`,
  );
  return {
    rebate_issued: usdAmount(readMicros(row!.issued_face_micros)),
    rebate_redeemed: usdAmount(readMicros(row!.redeemed_price_micros)),
    returned_change: usdAmount(readMicros(row!.change_micros)),
    credits_issued: readMicros(row!.issued),
    credits_redeemed: readMicros(row!.redeemed),
    credits_outstanding: readMicros(row!.outstanding),
    outstanding_face_value: usdAmount(readMicros(row!.outstanding_face_micros)),
  };
}
