const MORNING_RUN = { name: 'Morning run', completion_rate: 0.82, current_streak: 9, best_streak: 21 };

const MORNING_RUN_SUMMARY = {
  habit_count: 1,
  horizon_days: 35,
  mean_adherence: 0.82,
  mean_consistency: 0.7805,
  mean_momentum: 0.6923,
  mean_lapse_risk: 0.1267,
  bands: { low: 1, moderate: 0, high: 0 },
  highest_risk: { habit: 'Morning run', lapse_risk: 0.1267, band: 'low' },
  per_habit: [
    {
      index: 0,
      habit: 'Morning run',
      adherence: 0.82,
      expected_adherence: 0.8733,
      consistency: 0.7805,
      momentum: 0.6923,
      lapse_risk: 0.1267,
      band: 'low',
      priority: 0.1569,
      drivers: ['low_completion'],
    },
  ],
};

const LISTS = {
  highlights: ['Morning run: 9 in a row, 82% completed.'],
  watchouts: [],
  recommendations: ['Morning run: Keep the schedule as it is.'],
};

/** One request and the complete answer of the engine to it, for each paid endpoint. */
export const EXAMPLES = {
  analyze: {
    input: { habits: [MORNING_RUN] },
    result: { aggregate_summary: MORNING_RUN_SUMMARY, ...LISTS },
  },
  plan: {
    input: { habits: [MORNING_RUN], horizon_days: 7 },
    result: {
      horizon_days: 7,
      plan: [
        {
          index: 0,
          habit: 'Morning run',
          start_rate: 0.82,
          goal_rate: 0.8385,
          weeks: [{ week: 1, start_day: 1, days: 7, target_rate: 0.8385, target_sessions: 6 }],
          milestones: [
            { day: 5, code: 'streak', mark: 14, text: 'Streak of 14 if nothing is missed.' },
            { day: 7, code: 'day', mark: 7, text: 'Day 7 of the plan.' },
          ],
        },
      ],
      rationale:
        'Weekly targets close part of the gap to the full target, more slowly where the lapse risk is high. A single miss does not reset progress.',
    },
  },
  insights: {
    input: { habits: [MORNING_RUN] },
    result: {
      summary: MORNING_RUN_SUMMARY,
      aggregate_summary: MORNING_RUN_SUMMARY,
      ...LISTS,
      patterns: [
        {
          code: 'strong_streak',
          index: 0,
          habit: 'Morning run',
          statement: '9 in a row.',
          evidence: { current_streak: 9, momentum: 0.6923 },
        },
      ],
      correlations: [],
      risk_signals: [],
    },
  },
  recommend: {
    input: { habits: [MORNING_RUN] },
    result: {
      recommendations: [
        {
          habit: 'Morning run',
          action: 'Keep the schedule as it is.',
          rationale: 'Completed 82%, streak 9 of best 21, lapse risk 13%.',
          priority: 0.1569,
          index: 0,
          code: 'maintain',
        },
      ],
      generated_for_habits: 1,
    },
  },
  reliability: {
    input: {
      tasks: [
        {
          name: 'hourly-sync',
          success_rate: 0.999,
          current_streak: 310,
          best_streak: 310,
          runs: 720,
          cadence: 'hourly',
        },
      ],
    },
    result: {
      system: null,
      summary: {
        task_count: 1,
        mean_success_rate: 0.999,
        mean_failure_risk: 0.0032,
        mean_severity: 0.0206,
        levels: { low: 1, medium: 0, high: 0 },
        overall_level: 'low',
        tasks_over_budget: 0,
        breaches_confirmed: 0,
        provisional_tasks: 0,
        critical_tasks: 0,
        worst: { task: 'hourly-sync', severity: 0.0206, severity_level: 'low', burn_rate: 0.2 },
      },
      assessments: [
        {
          index: 0,
          task: 'hourly-sync',
          provisional: false,
          runs: 720,
          success_rate: 0.999,
          success_estimate: 0.9985,
          success_lower_bound: 0.996,
          success_interval: { low: 0.9928, high: 0.9999, level: 0.95 },
          failure_risk: 0.0032,
          failure_risk_horizon: 0.0381,
          horizon_runs: 24,
          error_budget: 0.005,
          burn_rate: 0.2,
          breach_confirmed: false,
          severity: 0.0206,
          severity_level: 'low',
          recovery: 0.9873,
          runs_to_recover: 0,
          priority: 0.0137,
          drivers: ['error_budget'],
          latency_signal: 'unknown',
          p95_latency_ms: null,
          cadence: 'hourly',
          critical: false,
        },
      ],
      watchouts: [],
      recommendations: [
        {
          task: 'hourly-sync',
          action: 'Keep the schedule as it is.',
          rationale: 'Success rate 99.9%, burn rate 0.2, failure risk 0.3%, streak 310 of best 310.',
          priority: 0.0137,
          index: 0,
          code: 'observe',
        },
      ],
      method:
        'Deterministic threshold rules over the submitted summaries. No model, no log parsing, no root-cause inference.',
    },
  },
} as const;
