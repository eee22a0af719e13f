import { usdAmount } from '@evenkeel/kernel';

/** What comes in, what it costs, what is left: the same three members everywhere (D-117). */
export function marginOf({ grossMicros, costMicros }: { grossMicros: number; costMicros: number }) {
  return {
    gross_revenue: usdAmount(grossMicros),
    attributed_cost: usdAmount(costMicros),
    net_margin: usdAmount(grossMicros - costMicros),
  };
}
