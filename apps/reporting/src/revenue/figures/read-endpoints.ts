import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type Basis, BASES } from './basis';
import { AsOfView, ComparedWindowView, marginOf, Money, NO_TOTALS, percentOf, spanView } from './figures';
import { firstPaymentDay, isBeforeFirst } from './first-payment';
import { readFiguresBy } from './span-rows';
import { comparisonOf, type Period, type Span, windowOf } from './window';
import type { WindowQuestion } from '../query-parts';
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
  @ApiProperty({ type: 'integer', description: 'distinct wallets; one that paid for two endpoints is in both' })
  unique_payers!: number;
  @ApiProperty({ format: 'date-time', nullable: true, type: String, description: 'latest call within these days' })
  last_call_at!: string | null;
}

/** One side of a comparison. */
class ComparedEndpointsView extends ComparedWindowView {
  @ApiProperty({ type: [EndpointRevenueView] }) endpoints!: EndpointRevenueView[];
}

class PreviousEndpointsView extends ComparedEndpointsView {
  @ApiProperty({ description: 'the side of the window that these are compared with' })
  compared!: ComparedEndpointsView;
}

@ApiExtraModels(PreviousEndpointsView)
export class EndpointsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_101 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [EndpointRevenueView], description: 'every endpoint for sale, in the order of the price list' })
  endpoints!: EndpointRevenueView[];
  @ApiProperty({ enum: BASES }) basis!: Basis;
  @ApiProperty({
    required: false,
    nullable: true,
    description: 'with compare=previous: the same weekdays before; null when they would begin before the first payment',
    allOf: [{ $ref: getSchemaPath(PreviousEndpointsView) }],
  })
  previous?: PreviousEndpointsView | null;
}

const NO_CALLS = { totals: NO_TOTALS, payers: 0, lastCallAt: null };
const PRICES = new Map(PAID_ENDPOINTS.map(({ path, priceMicros }) => [path, priceMicros]));

/** Revenue by endpoint, also of those without a call. */
@Injectable()
export class ReadEndpoints {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute({ period, basis, compare }: WindowQuestion): Promise<EndpointsView> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      ...window,
      endpoints: await endpointsOf(tx, basis, { ...window, until: null }),
      basis,
      ...(compare && { previous: await previous(tx, basis, period, now) }),
    }));
  }
}

async function previous(tx: EntityManager, basis: Basis, period: Period, now: Date) {
  const { current, before } = comparisonOf(period, now);
  if (isBeforeFirst(before, await firstPaymentDay(tx, basis))) return null;
  const sideOf = async (span: Span): Promise<ComparedEndpointsView> => ({
    ...spanView(span),
    endpoints: await endpointsOf(tx, basis, span),
  });
  return { ...(await sideOf(before)), compared: await sideOf(current) };
}

async function endpointsOf(tx: EntityManager, basis: Basis, span: Span): Promise<EndpointRevenueView[]> {
  const byPath = await readFiguresBy(tx, 'endpoint', basis, span);
  const allMicros = [...byPath.values()].reduce((sum, { totals }) => sum + totals.grossMicros, 0);
  // Endpoints that are no longer for sale come last: the sums equal those of the summary.
  const paths = new Set([...PRICES.keys(), ...[...byPath.keys()].sort()]);
  return [...paths].map((path) => {
    const { totals, payers, lastCallAt } = byPath.get(path) ?? NO_CALLS;
    const priceMicros = PRICES.get(path);
    return {
      endpoint: path,
      method: 'POST',
      price: priceMicros === undefined ? null : usdAmount(priceMicros),
      paid_calls: totals.paidCalls,
      credit_calls: totals.creditCalls,
      ...marginOf(totals),
      share_pct: allMicros === 0 ? 0 : percentOf(totals.grossMicros, allMicros),
      unique_payers: payers,
      last_call_at: lastCallAt?.toISOString() ?? null,
    };
  });
}
