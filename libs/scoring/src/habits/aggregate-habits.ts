import { meanOfTenThousandths, tenThousandths } from '../numbers/round4';
import type { RiskBand } from '../risk/risk-band';
import { highestRisk, type EvidencedHabit } from './scored-habit';

/** The scores of several habits together; a habit without evidence is in none of them. */
export interface HabitAggregate {
  mean_adherence: number;
  mean_consistency: number;
  mean_momentum: number;
  mean_lapse_risk: number;
  bands: Record<RiskBand, number>;
  highest_risk: { habit: string; lapse_risk: number; band: RiskBand } | null;
}

/**
 * Means (of the rounded scores, on integers), counts of bands and the highest risk.
 * @param habits by the order rule
 */
export function aggregateHabits(habits: readonly EvidencedHabit[]): HabitAggregate {
  let low = 0;
  let high = 0;
  let adherence = 0;
  let consistency = 0;
  let momentum = 0;
  let lapseRisk = 0;
  for (const habit of habits) {
    if (habit.band === 'low') low++;
    else if (habit.band === 'high') high++;
    adherence += tenThousandths(habit.adherence);
    consistency += tenThousandths(habit.consistency);
    momentum += tenThousandths(habit.momentum);
    lapseRisk += tenThousandths(habit.lapseRisk);
  }
  const worst = highestRisk(habits);
  return {
    mean_adherence: meanOfTenThousandths(adherence, habits.length),
    mean_consistency: meanOfTenThousandths(consistency, habits.length),
    mean_momentum: meanOfTenThousandths(momentum, habits.length),
    mean_lapse_risk: meanOfTenThousandths(lapseRisk, habits.length),
    bands: { low, moderate: habits.length - low - high, high },
    highest_risk: worst ? { habit: worst.name, lapse_risk: worst.lapseRisk, band: worst.band } : null,
  };
}
