import type { EvidencedHabit, HistoryFacts, ScoredHabit } from './habits/scored-habit';
import type { WeekdayFinding } from './logs/weekdays';
import { oneDecimal, percent, twoDecimals } from './numbers';
import type { TaskAssessment } from './tasks/task-summary';

/** Variables that can move together with completion. */
export type LinkVariable = 'mood' | 'energy' | 'stress';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** From here on a correlation is called clear; below it the words say "may". */
const CLEAR_LINK = 0.5;

/** The most that a habit can have in a week. */
const MOST_SESSIONS = 14;

/** The unit of a streak, in one word or two: Sundays in a row are no days in a row. */
export function streakNoun({ streakUnit, target }: Pick<HistoryFacts, 'streakUnit' | 'target'>): string {
  return streakUnit === 'day' && target < 7 ? 'scheduled day' : streakUnit;
}

function weekdayName(weekday: number): string {
  return WEEKDAYS[weekday - 1]!;
}

function completedOn({ weekday, completion_rate, n }: WeekdayFinding): string {
  return `${weekdayName(weekday)}: ${percent(completion_rate)}% of ${n} days.`;
}

/** @param noun what is counted, where that is known */
function counted(count: number, noun?: string): string {
  return noun ? `${count} ${noun}${count === 1 ? '' : 's'}` : `${count}`;
}

function streak(count: number, { facts }: ScoredHabit): string {
  return counted(count, facts && streakNoun(facts));
}

function inARow(h: EvidencedHabit): string {
  return `${streak(h.currentStreak, h)} in a row.`;
}

function hasNeverBeenDone({ facts, bestStreak, adherence }: ScoredHabit): boolean {
  return facts !== undefined && bestStreak === 0 && adherence === 0;
}

function nextDue({ facts }: ScoredHabit): string {
  const due = facts?.nextDue ?? 'today';
  return typeof due === 'number' ? `on ${weekdayName(due)}` : due;
}

/** Every English sentence the engine can say, by code. Entries of lists follow `<name>: `, statements are complete. */
export const TEXTS = {
  highlights: {
    strong_streak: (h: EvidencedHabit) =>
      h.facts?.occasions === 0
        ? inARow(h)
        : `${streak(h.currentStreak, h)} in a row, ${percent(h.adherence)}% completed.`,
    high_adherence: (h: EvidencedHabit) => `${percent(h.adherence)}% completed.`,
  },
  watchouts: {
    high_lapse_risk: (h: EvidencedHabit) => `lapse risk ${percent(h.lapseRisk)}% (high).`,
    broken_streak: (h: EvidencedHabit) => `a best streak of ${streak(h.bestStreak, h)} is broken.`,
    falling_energy: () => 'energy is falling.',
  },
  statements: {
    strong_streak: inARow,
    high_adherence: (h: EvidencedHabit) => `${percent(h.adherence)}% completed.`,
    broken_streak: (h: EvidencedHabit) => `A best streak of ${streak(h.bestStreak, h)} is broken.`,
    high_lapse_risk: (h: EvidencedHabit) => `Lapse risk ${percent(h.lapseRisk)}% (high).`,
    falling_energy: () => 'Energy is falling.',
    rising_energy: () => 'Energy is rising.',
    link: (variable: LinkVariable, r: number) =>
      `Completion ${Math.abs(r) >= CLEAR_LINK ? 'moves' : 'may move'} ${r < 0 ? 'against' : 'together with'} ${variable} (${twoDecimals(r)}).`,
    best_weekday: (found: WeekdayFinding) => `Best on ${completedOn(found)}`,
    worst_weekday: (found: WeekdayFinding) => `Worst on ${completedOn(found)}`,
    risk_concentration: (n: number, share: number) => `Three of ${n} habits hold ${percent(share)}% of the lapse risk.`,
    mood_across_habits: (n: number, r: number) =>
      `Across ${n} habits, completion and mood move ${r < 0 ? 'apart' : 'together'} (${twoDecimals(r)}).`,
  },
  actions: {
    restart: (h: ScoredHabit) =>
      `${hasNeverBeenDone(h) ? 'Start' : 'Restart'} with the smallest version ${nextDue(h)}.`,
    shrink: () => 'Lower the target, in days or in size, to the level already held, then rebuild.',
    reschedule: ({ energyTrend, facts }: ScoredHabit) => {
      const weekday = facts?.worstWeekday && `${weekdayName(facts.worstWeekday.weekday)}s`;
      if (energyTrend !== 'falling') return `Give it another time on ${weekday}, or leave them out of the schedule.`;
      return `Move it to the time of day with the most energy${weekday ? `, above all on ${weekday}` : ''}.`;
    },
    support_mood: () => 'Put something that lifts the mood right before it.',
    progress: ({ facts }: ScoredHabit) =>
      facts?.target === MOST_SESSIONS
        ? 'Try a slightly harder version.'
        : 'Add one session or a slightly harder version.',
    maintain: () => 'Keep the schedule as it is.',
    start: ({ facts }: ScoredHabit) => {
      if (facts?.startsOn) return `Starts on ${facts.startsOn}.`;
      return facts?.isUnderway ? 'Log the rest of this week.' : 'Log the first occasion.';
    },
  },
  rationale: {
    habit: (h: EvidencedHabit) =>
      `${h.facts?.occasions === 0 ? 'Nothing was due in the days shown' : `Completed ${percent(h.adherence)}%`}, ` +
      `streak ${h.currentStreak} of best ${streak(h.bestStreak, h)}, lapse risk ${percent(h.lapseRisk)}%.`,
    reschedule: ({ energyTrend, facts }: ScoredHabit) =>
      (energyTrend === 'falling' ? ' Energy is falling.' : '') +
      (facts?.worstWeekday ? ` ${completedOn(facts.worstWeekday)}` : ''),
    support_mood: (h: ScoredHabit) =>
      ` Average mood ${oneDecimal(h.averageMood ?? 0)}, mood correlation ${twoDecimals(h.moodCorrelation ?? 0)}.`,
    start: 'No counted occasion yet.',
  },
  taskWatchouts: {
    high_severity: (t: TaskAssessment) =>
      `severity ${twoDecimals(t.severity)} (high), burn rate ${twoDecimals(t.burn_rate)}.`,
    breach_confirmed: (t: TaskAssessment) =>
      `success rate below its target of ${oneDecimal(100 * (1 - t.error_budget))}% (95% interval ends at ${twoDecimals(100 * (t.success_interval?.high ?? 1))}%).`,
    rising_latency: () => 'latency is rising.',
    few_runs: (t: TaskAssessment) => `${t.runs} runs, provisional.`,
  },
  taskActions: {
    fix_now: 'Repair it before the next run.',
    investigate: 'Look into the recent failures before adding load.',
    check_latency: 'Check the rising latency before it turns into failures.',
    collect_runs: 'Collect at least 10 runs before judging it.',
    watch_recovery: 'Watch the next runs until the streak is rebuilt.',
    observe: 'Keep the schedule as it is.',
  },
  taskRationale: {
    task: (t: TaskAssessment, streak: number, best: number) =>
      `Success rate ${twoDecimals(100 * t.success_rate)}%, burn rate ${twoDecimals(t.burn_rate)}, failure risk ${oneDecimal(100 * t.failure_risk)}%, streak ${streak} of best ${best}.`,
    rising_latency: ' Latency is rising.',
    few_runs: (t: TaskAssessment) => ` Only ${t.runs} runs.`,
    critical: ' Critical.',
  },
  milestones: {
    day: (day: number) =>
      day === 66 ? 'Day 66: the median time until a habit runs by itself.' : `Day ${day} of the plan.`,
    streak: (mark: number, { noun, fromWeek = 1 }: { noun?: string; fromWeek?: number }) =>
      `Streak of ${counted(mark, noun)} if nothing is missed${fromWeek > 1 ? ` from week ${fromWeek} on` : ''}.`,
  },
  planRationale:
    'Weekly targets close part of the gap to the full target, more slowly where the lapse risk is high. A single miss does not reset progress.',
  reliabilityMethod:
    'Deterministic threshold rules over the submitted summaries. No model, no log parsing, no root-cause inference.',
};
