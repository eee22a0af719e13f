import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf, quotaOf } from './analysis.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const madrid = { timezone: 'Europe/Madrid' };

const METRICS = `{
  "evidence": "logs", "completion_rate": 0.8315, "occasions": 89, "excused": 1, "skip_budget_remaining": 21, "adherence": 0.8315, "expected_adherence": 0.8271, "consistency": 0.7873, "momentum": 0.6923,
  "lapse_risk": 0.1729, "band": "low", "priority": 0.1985, "drivers": ["low_completion"], "strength": 0.8339, "current_streak": 9, "best_streak": 21, "streak_unit": "day",
  "average_mood": 6.75, "average_energy": null, "average_stress": null, "energy_trend": null, "best_weekday": null, "worst_weekday": null, "previous_period": null`;
const PREMIUM_METRICS = `"mood_correlation": {"coefficient": 0.418, "n": 29, "n_eff": 27.9161, "interval": {"low": 0.0526, "high": 0.6847, "level": 0.95}, "strength": "possible", "direction": "positive"},
  "correlation_notes": {"energy": "too_few_days", "stress": "too_few_days"}`;
const REDACTED = `"redacted": {"fields": ["mood_correlation", "energy_correlation", "stress_correlation"], "reason": "premium_required", "feature": "mood_correlation", "upgrade_path": "/v1/billing/checkout", "plans_path": "/v1/billing/plans"}`;

const analysisOf = (habitId: string, tier: string, metrics: string, end: string) => `{
  "generated_at": "2026-01-31T12:00:00.000Z", "tier": "${tier}",
  "period": {"from": "2025-11-03", "to": "2026-01-31", "days": 90, "timezone": "Europe/Madrid"},
  "habits": [{"habit_id": "${habitId}", "habit": "Morning run", "metrics": ${metrics}}}],
  "aggregate_summary": {"habit_count": 1, "left_out": 0, "horizon_days": 35, "mean_adherence": 0.8315, "mean_consistency": 0.7873, "mean_momentum": 0.6923, "mean_lapse_risk": 0.1729, "bands": {"low": 1, "moderate": 0, "high": 0}, "highest_risk": {"habit": "Morning run", "lapse_risk": 0.1729, "band": "low"}},
  "highlights": ["Morning run: 9 days in a row, 83% completed."],
  "watchouts": [],
  "recommendations": ["Morning run: Keep the schedule as it is."]${end}
}`;
const compact = (text: string) => JSON.stringify(JSON.parse(text));

describe('the documented history', () => {
  it('gives the documented analysis on Free, byte by byte', async () => {
    const ana = await AnalysesOf.somebody(accounts, madrid);
    const id = await ana.publishedHabit();
    await ana.ask('analyze');
    const reply = await ana.ask('analyze', {});
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(compact(analysisOf(id, 'FREE', METRICS, `, ${REDACTED}`)));
    expect(quotaOf(reply)).toEqual({ limit: '5', used: '2', remaining: '3', period: '2026-01' });
  });

  it('adds the documented correlation on Premium, where nothing is redacted or limited', async () => {
    const ana = await AnalysesOf.somebody(accounts, madrid);
    const id = await ana.publishedHabit();
    await accounts.grantPremium(ana.person.id);
    const reply = await ana.ask('analyze');
    expect(reply.text).toBe(compact(analysisOf(id, 'PREMIUM', `${METRICS}, ${PREMIUM_METRICS}`, '')));
    expect(quotaOf(reply)).toEqual({ used: '1', period: '2026-01' });
    expect(await ana.usage()).toEqual({ used: 1, events: [1] });
  });

  it('gives the documented insight', async () => {
    const ana = await AnalysesOf.somebody(accounts, madrid);
    const habitId = await ana.publishedHabit();
    const reply = await ana.ask('insights', { limit: 20, habitId });
    const [first] = reply.body.insights as { id: string }[];
    const shown = {
      id: first!.id,
      habit_id: habitId,
      habit: 'Morning run',
      kind: 'streak',
      code: 'strong_streak',
      severity: 'info',
      title: 'Strong streak',
      body: '9 days in a row, 83% completed.',
      evidence: { current_streak: 9, best_streak: 21 },
      period: { from: '2025-11-03', to: '2026-01-31' },
      free_readable: true,
      created_at: '2026-01-31T12:00:00.000Z',
    };
    expect(JSON.stringify(first)).toBe(JSON.stringify(shown));
    const { insights, ...rest } = reply.body;
    expect((insights as { code: string }[]).map(({ code }) => code)).toEqual(['strong_streak']);
    expect(JSON.stringify(rest)).toBe(
      compact(`{"limit": 5, "requested_limit": 20, "clamped": true, "next_cursor": null,
        "redacted": {"fields": ["insights"], "reason": "premium_required", "feature": "full_insight_history", "upgrade_path": "/v1/billing/checkout", "plans_path": "/v1/billing/plans"}}`),
    );
  });

  it('is recommended and planned for', async () => {
    const ana = await AnalysesOf.somebody(accounts, madrid);
    const habit_id = await ana.publishedHabit();
    const { body } = await ana.ask('recommend');
    expect(Object.keys(body)).toEqual(['recommendations', 'generated_for_habits', 'metrics', 'redacted']);
    expect(JSON.stringify(body.recommendations)).toBe(
      JSON.stringify([
        {
          habit_id,
          habit: 'Morning run',
          action: 'Keep the schedule as it is.',
          rationale: 'Completed 83%, streak 9 of best 21 days, lapse risk 17%.',
          priority: 0.1985,
          index: 0,
          code: 'maintain',
        },
      ]),
    );
    expect(body.generated_for_habits).toBe(1);
    expect(JSON.stringify(body.metrics)).toBe(compact(`{"${habit_id}": ${METRICS}}}`));

    await accounts.grantPremium(ana.person.id);
    const plan = await ana.ask('plan');
    expect(Object.keys(plan.body)).toEqual([
      'generated_at',
      'horizon_days',
      'starts_on',
      'ends_on',
      'plan',
      'rationale',
    ]);
    expect(plan.body).toMatchObject({ horizon_days: 35, starts_on: '2026-02-01', ends_on: '2026-03-07' });
    const [planned] = plan.body.plan as { habit_id: string; weeks: object[] }[];
    expect(planned).toMatchObject({ habit_id, index: 0, habit: 'Morning run' });
    expect(planned!.weeks[0]).toEqual({
      week: 1,
      start_day: 1,
      days: 7,
      target_rate: 0.8484,
      target_sessions: 6,
      start_date: '2026-02-01',
      end_date: '2026-02-07',
      dates: ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06'],
    });
    const again = await ana.ask('recommend');
    expect(Object.keys(again.body)).toEqual(['recommendations', 'generated_for_habits', 'metrics']);
    expect(JSON.stringify(again.body.metrics)).toBe(compact(`{"${habit_id}": ${METRICS}, ${PREMIUM_METRICS}}}`));
    expect(await ana.usage()).toEqual({ used: 0, events: [] });
  });
});

describe('without anything to analyze', () => {
  it('an analysis is answered, and uses one of the month', async () => {
    const ana = await AnalysesOf.somebody(accounts);
    const nothing = await ana.ask('analyze');
    expect(nothing.body).toMatchObject({
      habits: [],
      highlights: [],
      watchouts: [],
      recommendations: [],
      aggregate_summary: { habit_count: 0, mean_adherence: null, highest_risk: null },
      period: { timezone: null },
    });
    await ana.habit({ name: 'Read', startDay: '2026-01-31' });
    const unlogged = await ana.ask('analyze');
    expect(unlogged.body).toMatchObject({
      habits: [{ habit: 'Read', metrics: { evidence: 'none', lapse_risk: null, band: null } }],
      aggregate_summary: {
        habit_count: 1,
        left_out: 1,
        mean_adherence: null,
        mean_lapse_risk: null,
        highest_risk: null,
      },
      highlights: [],
      watchouts: [],
      recommendations: ['Read: Log the first occasion.'],
    });
    expect(await ana.usage()).toEqual({ used: 2, events: [1, 2] });
    expect((await ana.ask('insights')).body).toMatchObject({ insights: [] });
  });
});

it('a habit that starts in three weeks says so, and is planned from that day', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  const habitId = await ana.habit({ name: 'Swim', startDay: '2026-02-21' });
  expect((await ana.ask('recommend', { habitId })).body.recommendations).toMatchObject([
    { code: 'start', action: 'Starts on 2026-02-21.' },
  ]);
  const { body } = await ana.ask('plan', { habitId });
  expect(body.plan).toMatchObject([{ weeks: [{ start_day: 1, start_date: '2026-02-21' }, {}, {}, {}, {}] }]);
});

describe('the habits that an answer is about', () => {
  const names = ({ body }: { body: Record<string, unknown> }) =>
    (body.habits as { habit: string }[]).map(({ habit }) => habit);

  it('are the active ones, most recently logged first, at most 25', async () => {
    const ana = await AnalysesOf.somebody(accounts);
    await ana.habit({ name: 'never' });
    await ana.habit({ name: 'old', logs: logsOf('d', '2026-01-10') });
    await ana.habit({ name: 'new', logs: logsOf('d.d', '2026-01-20') });
    await ana.habit({ name: 'gone', archived: true, logs: logsOf('d', '2026-01-30') });
    const few = await ana.ask('analyze');
    expect(names(few)).toEqual(['new', 'old', 'never']);
    expect(few.body).not.toHaveProperty('truncated');
    for (let more = 0; more < 23; more++) await ana.habit({ name: `more ${more}`, logs: logsOf('d', '2026-01-25') });
    const many = await ana.ask('analyze');
    expect(names(many)).toHaveLength(25);
    expect(names(many).slice(-2)).toEqual(['new', 'old']);
    expect(many.body.truncated).toBe(true);
    expect((await ana.ask('recommend')).body).toMatchObject({ generated_for_habits: 25, truncated: true });
  });

  it('are those that are named, in their order and each once, archived ones too', async () => {
    const ana = await AnalysesOf.somebody(accounts);
    const first = await ana.habit({ name: 'first', logs: logsOf('d', '2026-01-10') });
    const second = await ana.habit({ name: 'second', archived: true });
    const reply = await ana.ask('analyze', { habitIds: [second, first.toUpperCase(), second] });
    expect(names(reply)).toEqual(['second', 'first']);
  });

  it('are looked at on a day and over a window of the person', async () => {
    const ana = await AnalysesOf.somebody(accounts, { timezone: 'Pacific/Kiritimati' });
    const habitId = await ana.habit({ startDay: '2026-01-01', logs: logsOf('ddd', '2026-01-01') });
    expect((await ana.ask('analyze', { habitId })).body).toMatchObject({
      period: { from: '2025-11-04', to: '2026-02-01', timezone: 'Pacific/Kiritimati' },
    });
    const then = { habitId, asOf: '2026-01-03', windowDays: 7, horizonDays: 14, locale: 'es' };
    expect((await ana.ask('analyze', then)).body).toMatchObject({
      period: { from: '2025-12-28', to: '2026-01-03', days: 7 },
      habits: [{ metrics: { completion_rate: 1, occasions: 3, current_streak: 3 } }],
      aggregate_summary: { horizon_days: 14 },
    });
  });
});
