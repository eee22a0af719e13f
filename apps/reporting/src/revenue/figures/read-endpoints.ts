import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { marginOf, NO_TOTALS, percentOf, SUMS, type SumsRow, type Totals, totalsOf, AsOfView, Money } from './figures';
import { payersSince, payersWithin, type Payers } from './payers';
import { windowBefore, windowUntil, type Window } from './window';
import { RevenueSnapshot } from '../revenue-snapshot';

export class EndpointRevenueView {
  @ApiProperty() endpoint!: string;
  @ApiProperty() method!: string;
  @ApiProperty({ nullable: true, type: Money, description: 'null for one that is not for sale any more' })
  price!: Money | null;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ description: 'of the gross of all endpoints, in per cent with two decimals' }) share_pct!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets; one that paid for two endpoints counts at both' })
  unique_payers!: number;
  @ApiProperty({ format: 'date-time', nullable: true, type: String, description: 'latest call within these days' })
  last_call_at!: string | null;
}

class PreviousEndpointsView {
  @ApiProperty({ type: 'integer' }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [EndpointRevenueView] }) endpoints!: EndpointRevenueView[];
}

@ApiExtraModels(PreviousEndpointsView)
export class EndpointsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [EndpointRevenueView], description: 'every endpoint for sale, in the order of the price list' })
  endpoints!: EndpointRevenueView[];
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the same of the days before',
    allOf: [{ $ref: getSchemaPath(PreviousEndpointsView) }],
  })
  previous?: PreviousEndpointsView;
}

interface EndpointTotals extends Totals {
  lastCallAt: Date | null;
}

const NO_CALLS: EndpointTotals = { ...NO_TOTALS, lastCallAt: null };
const PRICES = new Map(PAID_ENDPOINTS.map(({ path, priceMicros }) => [path, priceMicros]));

/** Revenue by endpoint, also of those without a call. */
@Injectable()
export class ReadEndpoints {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  async execute(days: number, compare: boolean): Promise<EndpointsView> {
    const window = windowUntil(this.clock.now(), days);
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      ...window,
      endpoints: await this.endpoints(tx, window, await payersSince(tx, window.from)),
      ...(compare && { previous: await this.previous(tx, windowBefore(window)) }),
    }));
  }

  private async previous(tx: EntityManager, window: Window) {
    return { ...window, endpoints: await this.endpoints(tx, window, await payersWithin(tx, window)) };
  }

  private async endpoints(tx: EntityManager, { from, to }: Window, payers: Payers): Promise<EndpointRevenueView[]> {
    const rows = await tx.query<(SumsRow & { endpoint: string; last_call_at: Date | null })[]>(
      `SELECT endpoint, ${SUMS}, max(last_call_at) AS last_call_at
       FROM daily_totals WHERE day BETWEEN $1 AND $2 GROUP BY endpoint ORDER BY endpoint`,
      [from, to],
    );
    const byPath = new Map(rows.map((row) => [row.endpoint, { ...totalsOf(row), lastCallAt: row.last_call_at }]));
    const allMicros = [...byPath.values()].reduce((sum, { grossMicros }) => sum + grossMicros, 0);
    // Endpoints that are no longer for sale come last: the sums equal those of the summary.
    const paths = new Set([...PRICES.keys(), ...byPath.keys()]);
    return [...paths].map((path) => rowOf(path, byPath.get(path) ?? NO_CALLS, allMicros, payers.get(path) ?? 0));
  }
}

function rowOf(path: string, totals: EndpointTotals, allMicros: number, uniquePayers: number): EndpointRevenueView {
  const priceMicros = PRICES.get(path);
  return {
    endpoint: path,
    method: 'POST',
    price: priceMicros === undefined ? null : usdAmount(priceMicros),
    paid_calls: totals.paidCalls,
    credit_calls: totals.creditCalls,
    ...marginOf(totals),
    share_pct: allMicros === 0 ? 0 : percentOf(totals.grossMicros, allMicros),
    unique_payers: uniquePayers,
    last_call_at: totals.lastCallAt?.toISOString() ?? null,
  };
}
