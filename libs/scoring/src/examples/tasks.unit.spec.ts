import { analyzeReliability, scoreTask, type TaskSummary } from '../index';

describe('worked examples of task scores', () => {
  const hourly: TaskSummary = {
    name: 'a',
    success_rate: 0.9,
    current_streak: 0,
    best_streak: 15,
    runs: 50,
    cadence: 'hourly',
  };
  const degrading = { critical: true, latency_trend: 'rising' as const, p95_latency_ms: 1800 };

  it.each<[TaskSummary, number[]]>([
    [
      { name: 'a', success_rate: 0.97, current_streak: 12, best_streak: 40, runs: 100, cadence: 'daily' },
      [0.9673, 0.9394, 0.0646, 0.2338, 3, 0.2259, 0.1614, 0],
    ],
    [
      { name: 'a', success_rate: 1, current_streak: 4, best_streak: 4, runs: 4 },
      [0.95, 0.7089, 0.125, 0.3568, 0, 0.05, 0.08, 3],
    ],
    [hourly, [0.9, 0.8323, 0.3571, 0.943, 20, 0.6044, 0.5055, 2]],
    [{ ...hourly, ...degrading }, [0.9, 0.8323, 0.3965, 0.9465, 20, 0.8086, 0.6438, 2]],
    [
      { name: 'a', success_rate: 0.999, current_streak: 700, best_streak: 2500, cadence: 'continuous' },
      [0.9988, 0.9978, 0.0014, 0.0141, 1, 0.0863, 0.0523, 0],
    ],
    [
      { name: 'a', success_rate: 0.6, current_streak: 1, best_streak: 2, runs: 5, risk_score: 0.9 },
      [0.7333, 0.3304, 0.475, 0.9183, 40, 0.4509, 0.4605, 0],
    ],
  ])('%j', (summary, expected) => {
    const task = scoreTask(summary);
    expect([
      task.success_estimate,
      task.success_lower_bound,
      task.failure_risk,
      task.failure_risk_horizon,
      task.burn_rate,
      task.severity,
      task.priority,
      task.runs_to_recover,
    ]).toEqual(expected);
  });

  it('recovers after a whole number of runs, where floating point sees a little more', () => {
    // p = 14/15, so 2 (1 - p) = 2/15 and 1 + 5 (1 - p) = 20/15: ten runs less the six of the formula.
    const task: TaskSummary = { name: 'a', success_rate: 16 / 17, current_streak: 0, best_streak: 16, runs: 17 };
    expect(scoreTask(task).runs_to_recover).toBe(4);
  });

  it.each<[Partial<TaskSummary>, [number, number] | null, boolean, boolean]>([
    [{ success_rate: 0.97, runs: 100, cadence: 'daily' }, [0.9155, 0.9897], true, false],
    [{ success_rate: 1, runs: 4 }, [0.5101, 1], false, true],
    [{ success_rate: 0.9, runs: 50, cadence: 'hourly' }, [0.7864, 0.9565], true, false],
    [{ success_rate: 0.6, runs: 5 }, [0.2307, 0.8824], false, true],
    [{ success_rate: 0.5 }, null, false, false],
    [{ success_rate: 0.5, runs: 0 }, null, false, true],
  ])('interval of %j', (summary, interval, confirmed, provisional) => {
    const task = scoreTask({ name: 'a', success_rate: 1, current_streak: 1, best_streak: 2, ...summary });
    const { success_interval } = task;
    expect(success_interval && [success_interval.low, success_interval.high]).toEqual(interval);
    expect([task.breach_confirmed, task.provisional]).toEqual([confirmed, provisional]);
  });
});

describe('the published answer', () => {
  it('reliability', () => {
    const answer = analyzeReliability({
      system: 'warehouse',
      tasks: [
        {
          name: 'nightly-backup',
          success_rate: 0.93,
          current_streak: 4,
          best_streak: 38,
          runs: 90,
          latency_trend: 'rising',
          p95_latency_ms: 412000,
          cadence: 'daily',
          critical: true,
        },
        {
          name: 'hourly-sync',
          success_rate: 0.999,
          current_streak: 310,
          best_streak: 310,
          runs: 720,
          latency_trend: 'stable',
          cadence: 'hourly',
        },
        { name: 'weekly-report', success_rate: 0.75, current_streak: 1, best_streak: 3, runs: 4, cadence: 'weekly' },
      ],
    });
    expect(JSON.stringify(answer)).toBe(JSON.stringify(JSON.parse(PUBLISHED)));
  });
});

const PUBLISHED = `{
  "system": "warehouse",
  "summary": {"task_count": 3, "mean_success_rate": 0.893, "mean_failure_risk": 0.1434, "mean_severity": 0.2888, "levels": {"low": 1, "medium": 1, "high": 1}, "overall_level": "high", "tasks_over_budget": 2, "breaches_confirmed": 1, "provisional_tasks": 1, "critical_tasks": 1, "worst": {"task": "nightly-backup", "severity": 0.5764, "severity_level": "high", "burn_rate": 7}},
  "assessments": [
    {"index": 0, "task": "nightly-backup", "provisional": false, "runs": 90, "success_rate": 0.93, "success_estimate": 0.9287, "success_lower_bound": 0.8873, "success_interval": {"low": 0.8579, "high": 0.9669, "level": 0.95}, "failure_risk": 0.1591, "failure_risk_horizon": 0.4604, "horizon_runs": 7, "error_budget": 0.01, "burn_rate": 7, "breach_confirmed": true, "severity": 0.5764, "severity_level": "high", "recovery": 0.5, "runs_to_recover": 0, "priority": 0.4095, "drivers": ["error_budget", "critical", "next_run_risk"], "latency_signal": "degrading", "p95_latency_ms": 412000, "cadence": "daily", "critical": true},
    {"index": 1, "task": "hourly-sync", "provisional": false, "runs": 720, "success_rate": 0.999, "success_estimate": 0.9985, "success_lower_bound": 0.996, "success_interval": {"low": 0.9928, "high": 0.9999, "level": 0.95}, "failure_risk": 0.0032, "failure_risk_horizon": 0.0381, "horizon_runs": 24, "error_budget": 0.005, "burn_rate": 0.2, "breach_confirmed": false, "severity": 0.0206, "severity_level": "low", "recovery": 0.9873, "runs_to_recover": 0, "priority": 0.0137, "drivers": ["error_budget"], "latency_signal": "steady", "p95_latency_ms": null, "cadence": "hourly", "critical": false},
    {"index": 2, "task": "weekly-report", "provisional": true, "runs": 4, "success_rate": 0.75, "success_estimate": 0.825, "success_lower_bound": 0.4325, "success_interval": {"low": 0.3006, "high": 0.9544, "level": 0.95}, "failure_risk": 0.2679, "failure_risk_horizon": 0.5889, "horizon_runs": 4, "error_budget": 0.02, "burn_rate": 12.5, "breach_confirmed": false, "severity": 0.2693, "severity_level": "medium", "recovery": 0.2, "runs_to_recover": 0, "priority": 0.2687, "drivers": ["error_budget", "next_run_risk"], "latency_signal": "unknown", "p95_latency_ms": null, "cadence": "weekly", "critical": false}
  ],
  "watchouts": [
    "nightly-backup: severity 0.58 (high), burn rate 7.",
    "nightly-backup: success rate below its target of 99% (95% interval ends at 96.69%).",
    "nightly-backup: latency is rising.",
    "weekly-report: 4 runs, provisional."
  ],
  "recommendations": [
    {"task": "nightly-backup", "action": "Repair it before the next run.", "rationale": "Success rate 93%, burn rate 7, failure risk 15.9%, streak 4 of best 38. Latency is rising. Critical.", "priority": 0.4095, "index": 0, "code": "fix_now"},
    {"task": "weekly-report", "action": "Look into the recent failures before adding load.", "rationale": "Success rate 75%, burn rate 12.5, failure risk 26.8%, streak 1 of best 3. Only 4 runs.", "priority": 0.2687, "index": 2, "code": "investigate"},
    {"task": "hourly-sync", "action": "Keep the schedule as it is.", "rationale": "Success rate 99.9%, burn rate 0.2, failure risk 0.3%, streak 310 of best 310.", "priority": 0.0137, "index": 1, "code": "observe"}
  ],
  "method": "Deterministic threshold rules over the submitted summaries. No model, no log parsing, no root-cause inference."
}`;
