import { REBATE_TIERS } from '@evenkeel/contracts';

const highestFirst = [...REBATE_TIERS].reverse();

function byTier(spentMicros: string, valueOf: (tier: (typeof REBATE_TIERS)[number]) => string): string {
  const cases = highestFirst.map((tier) => `WHEN ${spentMicros} >= ${tier.fromMicros} THEN ${valueOf(tier)}`);
  return `CASE ${cases.join(' ')} END`;
}

/** SQL for the name of the tier at a lifetime spend. */
export function tierNameSql(spentMicros: string): string {
  return byTier(spentMicros, ({ tier }) => `'${tier}'`);
}

/** SQL for the share of a price that is given back there, in per cent. */
export function tierPercentSql(spentMicros: string): string {
  return byTier(spentMicros, ({ ratePercent }) => String(ratePercent));
}
