import {
  analyzeLogs,
  type HabitMetrics,
  type HabitSummary,
  type HistoriesRequest,
  insightsForHabits,
  insightsFromLogs,
  type Milestone,
  planFromLogs,
  planHabits,
  type PlanWeek,
  recommendForHabits,
  recommendFromLogs,
} from '../index';
import { MADE_HISTORIES } from './made-histories.fixture';

const HEAD = `# Every sentence, for histories that people have

Written by \`write-sentences.fixture.ts\` and compared by a test: a changed sentence shows here, beside the history that it is
said of. Read it as the owner of the habit would. "Summary" is what the agent API says of the same numbers.
`;

export function printedSentences(): string {
  return [HEAD, ...Object.entries(MADE_HISTORIES).map(([title, request]) => `## ${title}\n\n${said(request)}\n`)].join(
    '\n',
  );
}

function said(request: HistoriesRequest): string {
  const analysis = analyzeLogs(request);
  const { metrics } = analysis.habits[0]!;
  const [advice] = recommendFromLogs(request).recommendations;
  const [plan] = planFromLogs(request).plan;
  const lines = [
    numbers(metrics),
    ...[...analysis.highlights, ...analysis.watchouts].map((text) => `analysis: ${withoutName(text)}`),
    ...insightsFromLogs(request).map(({ title, body }) => `insight: ${title}. ${body}`),
    `${advice!.code}: ${advice!.action} (${advice!.rationale})`,
    `plan from ${plan!.weeks[0]!.start_date}: ${planned(plan!.weeks, plan!.milestones)}`,
    ...(metrics.evidence === 'logs' ? saidOfSummary(summaryOf(metrics)) : []),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function numbers({ completion_rate, occasions, current_streak, best_streak, lapse_risk }: HabitMetrics): string {
  return `${completion_rate} of ${occasions}, streak ${current_streak} of ${best_streak}, risk ${lapse_risk}`;
}

function summaryOf(metrics: HabitMetrics): HabitSummary {
  return {
    name: 'it',
    completion_rate: metrics.completion_rate,
    current_streak: metrics.current_streak,
    best_streak: metrics.best_streak,
    average_mood: metrics.average_mood ?? undefined,
    mood_correlation: metrics.mood_correlation?.coefficient,
    energy_trend: metrics.energy_trend ?? undefined,
  };
}

function saidOfSummary(summary: HabitSummary): string[] {
  const { highlights, watchouts, patterns } = insightsForHabits({ habits: [summary] });
  const [advice] = recommendForHabits({ habits: [summary] }).recommendations;
  const [plan] = planHabits({ habits: [summary] }).plan;
  const texts = [...highlights, ...watchouts].map(withoutName);
  return [
    `summary: ${[...texts, ...patterns.map(({ statement }) => statement)].join(' / ') || 'nothing stands out'}`,
    `summary, ${advice!.code}: ${advice!.action} (${advice!.rationale})`,
    `summary, plan: ${planned(plan!.weeks, plan!.milestones)}`,
  ];
}

function withoutName(text: string): string {
  return text.slice('it: '.length);
}

/** Days of the plan without a sentence of their own are left out. */
function planned(weeks: readonly PlanWeek[], milestones: readonly Milestone[]): string {
  const streaks = milestones.filter(({ code }) => code === 'streak').map(({ day, text }) => `day ${day}: ${text}`);
  return [`${weeks.map(({ target_sessions }) => target_sessions).join(' ')} a week.`, ...streaks].join(' ');
}
