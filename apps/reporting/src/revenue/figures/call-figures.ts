import { usdAmount } from '@evenkeel/kernel';
import type { CallFiguresView } from './call-figures.view';
import { marginOf } from './margin';
import { percentOf } from './percent';
import type { Totals } from './totals';

/** Sums as an answer shows them. Without revenue there is no share of it that is left. */
export function callFigures(totals: Totals, uniquePayers: number): CallFiguresView {
  const { grossMicros, costMicros, paidCalls, creditCalls, rebateRedeemedMicros } = totals;
  return {
    ...marginOf(totals),
    net_margin_pct: grossMicros === 0 ? null : percentOf(grossMicros - costMicros, grossMicros),
    paid_calls: paidCalls,
    credit_calls: creditCalls,
    unique_payers: uniquePayers,
    rebate_redeemed: usdAmount(rebateRedeemedMicros),
  };
}
