import type { EvidencedHabit, ScoredHabit } from './habits/scored-habit';
import { oneDecimal, percent, twoDecimals } from './numbers';
import type { TaskAssessment } from './tasks/task-assessment';

/** What can move together with completion. */
export type LinkVariable = 'mood' | 'energy' | 'stress';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** From here on a correlation is called clear; below it the words say "may". */
const CLEAR_LINK = 0.5;

/** Every English sentence the engine can say, by code. Entries of lists follow `<name>: `, statements are complete. */
export const TEXTS = {
  highlights: {
    strong_streak: (h: EvidencedHabit) => `${h.currentStreak} in a row, ${percent(h.adherence)}% completed.`,
    high_adherence: (h: EvidencedHabit) => `${percent(h.adherence)}% completed.`,
  },
  watchouts: {
    high_lapse_risk: (h: EvidencedHabit) => `lapse risk ${percent(h.lapseRisk)}% (high).`,
    broken_streak: (h: EvidencedHabit) => `a best streak of ${h.bestStreak} is broken.`,
    falling_energy: () => 'energy is falling.',
  },
  statements: {
    strong_streak: (h: EvidencedHabit) => `${h.currentStreak} in a row.`,
    high_adherence: (h: EvidencedHabit) => `${percent(h.adherence)}% completed.`,
    broken_streak: (h: EvidencedHabit) => `A best streak of ${h.bestStreak} is broken.`,
    high_lapse_risk: (h: EvidencedHabit) => `Lapse risk ${percent(h.lapseRisk)}% (high).`,
    falling_energy: () => 'Energy is falling.',
    rising_energy: () => 'Energy is rising.',
    link: (variable: LinkVariable, r: number) =>
      `Completion ${Math.abs(r) >= CLEAR_LINK ? 'moves' : 'may move'} ${r < 0 ? 'against' : 'together with'} ${variable} (${twoDecimals(r)}).`,
    best_weekday: (weekday: number, rate: number, n: number) =>
      `Best on ${WEEKDAYS[weekday - 1]}: ${percent(rate)}% of ${n} days.`,
    risk_concentration: (n: number, share: number) => `Three of ${n} habits hold ${percent(share)}% of the lapse risk.`,
    mood_across_habits: (n: number, r: number) =>
      `Across ${n} habits, completion and mood move ${r < 0 ? 'apart' : 'together'} (${twoDecimals(r)}).`,
  },
  actions: {
    restart: 'Restart with the smallest version today.',
    shrink: 'Lower the weekly target to the level already held, then rebuild.',
    reschedule: 'Move it to the time of day with the most energy.',
    support_mood: 'Put something that lifts the mood right before it.',
    progress: 'Add one session or a slightly harder version.',
    maintain: 'Keep the schedule as it is.',
    start: 'Log the first occasion.',
  },
  rationale: {
    habit: (h: EvidencedHabit) =>
      `Completed ${percent(h.adherence)}%, streak ${h.currentStreak} of best ${h.bestStreak}, lapse risk ${percent(h.lapseRisk)}%.`,
    reschedule: ' Energy is falling.',
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
    streak: (mark: number) => `Streak of ${mark} if nothing is missed.`,
  },
  planRationale:
    'Weekly targets close part of the gap to the full target, more slowly where the lapse risk is high. A single miss does not reset progress.',
  reliabilityMethod:
    'Deterministic threshold rules over the submitted summaries. No model, no log parsing, no root-cause inference.',
};
