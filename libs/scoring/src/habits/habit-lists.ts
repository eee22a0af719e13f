import { TEXTS } from '../texts/texts';
import { highlightOf } from './highlight';
import { nextBestAction } from './next-best-action';
import { isEvidenced, type ScoredHabit } from './scored-habit';
import { watchoutsOf } from './watchouts';

/** The three lists of texts. Nothing in them tells the order of the input. */
export interface HabitLists {
  highlights: string[];
  watchouts: string[];
  recommendations: string[];
}

/** @param habits by the order rule */
export function habitLists(habits: readonly ScoredHabit[]): HabitLists {
  const lists: HabitLists = { highlights: [], watchouts: [], recommendations: [] };
  for (const habit of habits) {
    lists.recommendations.push(`${habit.name}: ${TEXTS.actions[nextBestAction(habit)]}`);
    if (!isEvidenced(habit)) continue;
    const highlight = highlightOf(habit);
    if (highlight) lists.highlights.push(`${habit.name}: ${TEXTS.highlights[highlight](habit)}`);
    for (const code of watchoutsOf(habit)) lists.watchouts.push(`${habit.name}: ${TEXTS.watchouts[code](habit)}`);
  }
  return lists;
}
