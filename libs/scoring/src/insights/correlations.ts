import type { EvidencedHabit } from '../habits/scored-habit';
import type { LinkVariable } from '../texts/texts';
import { moodAcrossHabits } from './mood-across-habits';
import { isWorthSaying, linkDirection, linkStrength, type LinkDirection, type LinkStrength } from './mood-link';

export interface CorrelationFinding {
  /** Null for the one over several habits. */
  index: number | null;
  habit: string | null;
  variable: LinkVariable;
  coefficient: number;
  strength: LinkStrength;
  direction: LinkDirection;
  /** `caller`: taken from the summary; `computed`: over the habits of the request. */
  source: 'caller' | 'computed';
  /** Habits behind a computed one. */
  n?: number;
}

/** @param habits by the order rule, which the findings follow */
export function correlationsOf(habits: readonly EvidencedHabit[]): CorrelationFinding[] {
  const findings: CorrelationFinding[] = [];
  for (const { index, name, moodCorrelation } of habits) {
    if (!isWorthSaying(moodCorrelation)) continue;
    findings.push({ index, habit: name, ...link(moodCorrelation), source: 'caller' });
  }
  const across = moodAcrossHabits(habits);
  if (across) findings.push({ index: null, habit: null, ...link(across.coefficient), source: 'computed', n: across.n });
  return findings;
}

function link(r: number): Pick<CorrelationFinding, 'variable' | 'coefficient' | 'strength' | 'direction'> {
  return { variable: 'mood', coefficient: r, strength: linkStrength(r), direction: linkDirection(r) };
}
