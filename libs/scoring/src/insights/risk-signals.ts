import type { EvidencedHabit, HabitDriver } from '../habits/scored-habit';

export interface RiskSignal {
  index: number;
  habit: string;
  code: 'moderate_lapse_risk' | 'high_lapse_risk';
  band: 'moderate' | 'high';
  /** Lapse risk, 0 to 1. */
  value: number;
  drivers: readonly HabitDriver[];
}

/** Every habit of the bands moderate and high. @param habits by the order rule, which the signals follow */
export function riskSignalsOf(habits: readonly EvidencedHabit[]): RiskSignal[] {
  const signals: RiskSignal[] = [];
  for (const { index, name, band, lapseRisk, drivers } of habits) {
    if (band === 'low') continue;
    signals.push({ index, habit: name, code: `${band}_lapse_risk`, band, value: lapseRisk, drivers });
  }
  return signals;
}
