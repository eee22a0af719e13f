export type RiskBand = 'low' | 'moderate' | 'high';

/** @param lapseRisk rounded, 0 to 1: moderate from 0.25, high from 0.5 */
export function riskBand(lapseRisk: number): RiskBand {
  return lapseRisk >= 0.5 ? 'high' : lapseRisk >= 0.25 ? 'moderate' : 'low';
}
