import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import type { FiguresQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import {
  callSums,
  CallsView,
  ComparedWindowView,
  Is,
  Money,
  MoneyOfDaysView,
  NO_TOTALS,
  percentOf,
  plus,
  PreviousOf,
} from './figures';
import { type Basis, BASES, comparedSides, NO_FIGURES, SpanRows } from './span-rows';
import { comparisonOf, type Span, wholeOf, windowOf } from './window';

/** A wallet that paid for two endpoints is a payer of both. */
export class EndpointRevenueView extends CallsView {
  @Is.member() endpoint!: string;
  @Is.member() method!: string;
  @ApiProperty({ nullable: true, type: Money, description: 'null for one that is not for sale any more' })
  price!: Money | null;
  @Is.member('of the gross of all endpoints, in per cent with two decimals') share_pct!: number;
  @Is.instantOrNull('latest call within these days') last_call_at!: string | null;
}

class ComparedEndpointsView extends ComparedWindowView {
  @Is.listOf(EndpointRevenueView) endpoints!: EndpointRevenueView[];
}

class PreviousEndpointsView extends PreviousOf(ComparedEndpointsView) {}

export class EndpointsView extends MoneyOfDaysView {
  @Is.listOf(EndpointRevenueView, 'every endpoint for sale, in the order of the price list')
  endpoints!: EndpointRevenueView[];
  @Is.oneOf(BASES) basis!: Basis;
  @Is.previous(PreviousEndpointsView) previous?: PreviousEndpointsView | null;
}

const PRICES = new Map(PAID_ENDPOINTS.map(({ path, priceMicros }) => [path, priceMicros]));

export const readEndpoints: Read<FiguresQuery, EndpointsView> = async (tx, now, { period, basis, compare }) => {
  const window = windowOf(period, now);
  const rows = new SpanRows(tx, basis);
  const sideOf = async (span: Span) => ({ endpoints: await endpointsOf(rows, span) });
  return {
    currency: 'USD' as const,
    ...window,
    ...(await sideOf(wholeOf(window))),
    basis,
    ...(compare && {
      previous: await comparedSides(comparisonOf(period, now), await rows.firstPaymentDay(), sideOf),
    }),
  };
};

async function endpointsOf(rows: SpanRows, span: Span): Promise<EndpointRevenueView[]> {
  const byPath = await rows.by('endpoint', span);
  const all = [...byPath.values()].map(({ totals }) => totals).reduce(plus, NO_TOTALS);
  return pathsOf(byPath).map((path) => {
    const { totals, payers, lastCallAt } = byPath.get(path) ?? NO_FIGURES;
    const priceMicros = PRICES.get(path);
    return {
      endpoint: path,
      method: 'POST',
      price: priceMicros === undefined ? null : usdAmount(priceMicros),
      ...callSums(totals),
      share_pct: percentOf(totals.grossMicros, all.grossMicros) ?? 0,
      unique_payers: payers,
      last_call_at: lastCallAt?.toISOString() ?? null,
    };
  });
}

/** Endpoints that are no longer for sale come last: the sums equal those of the summary. */
export function pathsOf(byPath: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...PRICES.keys(), ...[...byPath.keys()].sort()])];
}
