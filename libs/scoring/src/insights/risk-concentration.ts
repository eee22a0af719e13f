import type { EvidencedHabit } from '../habits/scored-habit';
import { round4, tenThousandths } from '../numbers/round4';

const FEWEST_HABITS = 4;
const TOP = 3;

/**
 * Share of all lapse risk that the top three habits hold.
 * @param habits by the order rule
 * @returns 0 to 1, four decimals; undefined below 4 habits
 */
export function riskConcentration(habits: readonly EvidencedHabit[]): number | undefined {
  if (habits.length < FEWEST_HABITS) return undefined;
  let top = 0;
  let all = 0;
  habits.forEach((habit, place) => {
    const risk = tenThousandths(habit.lapseRisk);
    all += risk;
    if (place < TOP) top += risk;
  });
  return round4(top / all);
}
