import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { ReportingConfig } from '../../reporting.config';
import type { CostModelView } from './summary.view';

/** Changes with its meaning, not with its amounts. */
const VERSION = '1';

/** What a call costs by the settings (D-117). */
export function costModel(config: ReportingConfig): CostModelView {
  const costs = PAID_ENDPOINTS.map(({ path }) => ({
    endpoint: path,
    per_call_usd_exact: usdAmount(config.callCostMicros(path)).usd_exact,
  }));
  const first = costs[0]!.per_call_usd_exact;
  const isOne = costs.every(({ per_call_usd_exact }) => per_call_usd_exact === first);
  return {
    version: VERSION,
    per_call_usd_exact: isOne ? first : null,
    per_settlement_usd_exact: usdAmount(config.COST_SETTLEMENT_MICROS).usd_exact,
    ...(!isOne && { per_endpoint: costs }),
  };
}
