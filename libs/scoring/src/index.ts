export { ENGINE_VERSION } from './engine-version';

export type { EnergyTrend, HabitsRequest, HabitSummary, ScoredHabit } from './habits/scored-habit';
export type { EvidencedHabit, HabitDriver } from './habits/scored-habit';
export type { HabitAction } from './habits/habit-lists';
export type { RiskBand } from './risk-formulas';
export { scoreHabit } from './habits/score-habit';
export { analyzeHabits, type HabitAnalysis, type HabitScores, type HabitsSummary } from './habits/analyze-habits';
export { recommendForHabits, type HabitRecommendation, type HabitRecommendations } from './habits/habit-lists';
export { insightsForHabits, type HabitInsights } from './insights/insights-for-habits';
export type { CorrelationFinding, Pattern, PatternCode, RiskSignal } from './insights/insights-for-habits';

export { planHabits, type PlanRequest, type PlanResult } from './plan/plan-habit';
export type { HabitPlan, Milestone, PlanWeek } from './plan/plan-habit';

export { analyzeReliability, type ReliabilityAnalysis } from './tasks/analyze-reliability';
export { scoreTask } from './tasks/score-task';
export type { SeverityLevel, TaskAssessment, TaskDriver } from './tasks/task-summary';
export type { LatencyTrend, ReliabilityRequest, TaskCadence, TaskSummary } from './tasks/task-summary';
export type { TaskAction, TaskRecommendation, TasksSummary } from './tasks/analyze-reliability';

export { analyzeLogs, type LogAnalysis, type LogsSummary, type Period } from './logs/analyze-logs';
export { analyzeLogsWithInsights, insightsFromLogs } from './logs/insights-from-logs';
export type { InsightCode, InsightKind, LogInsight } from './logs/insights-from-logs';
export { planFromLogs, type DatedPlan, type DatedPlanWeek } from './logs/plan-from-logs';
export { recommendFromLogs, type LogRecommendations } from './logs/analyze-logs';
export { habitStats, type HabitStats } from './logs/habit-record';
export { historyDay, type DayState, type HistoryDay } from './logs/history-stats';
export { historyStats, type HistoryStats, type OccasionState, type StatsRange } from './logs/history-stats';
export { lapseRiskEachMorning, lapseRiskFromDays, type LapseRisk } from './logs/lapse-risk';
export { civilDate, dayNumber, firstDayOfWeek } from './logs/civil-days';
export type { HabitHistory, HabitLog, HabitTerms, HistoriesRequest, LogStatus } from './logs/habit-history';
export { STATUS_CODES } from './logs/habit-history';
export type { HabitMetrics } from './logs/evaluate-histories';
export type { WeekStart } from './logs/civil-days';
