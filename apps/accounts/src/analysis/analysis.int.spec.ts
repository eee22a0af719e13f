import { Accounts } from '../accounts.fixture';
import { issuesOf, UNKNOWN_ID } from '../habits/habits.fixture';
import { AnalysesOf, logsOf, PUBLISHED, quotaOf } from './analysis.fixture';

const accounts = Accounts.forSuite();
const somebody = (profile?: Record<string, unknown>) => AnalysesOf.somebody(accounts, profile);
const madrid = { timezone: 'Europe/Madrid' };
const ROUTES = ['analyze', 'insights', 'plan', 'recommend'] as const;
const PATHS = { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' };

const METRICS = `
  "evidence": "logs", "completion_rate": 0.8315, "occasions": 89, "excused": 1, "skip_budget_remaining": 21, "adherence": 0.8315,
  "expected_adherence": 0.8271, "consistency": 0.7873, "momentum": 0.6923, "lapse_risk": 0.1729, "band": "low",
  "priority": 0.1985, "drivers": ["low_completion"], "strength": 0.8339, "current_streak": 9, "best_streak": 21,
  "streak_unit": "day", "average_mood": 6.75, "average_energy": null, "average_stress": null, "energy_trend": null,
  "best_weekday": null, "worst_weekday": null, "previous_period": null`;
const PREMIUM_METRICS = `${METRICS}, "mood_correlation": {"coefficient": 0.418, "n": 29, "n_eff": 27.9161,
  "interval": {"low": 0.0526, "high": 0.6847, "level": 0.95}, "strength": "possible", "direction": "positive"},
  "correlation_notes": {"energy": "too_few_days", "stress": "too_few_days"}`;
const REDACTED = `, "redacted": {"fields": ["mood_correlation", "energy_correlation", "stress_correlation"],
  "reason": "premium_required", "feature": "mood_correlation",
  "upgrade_path": "/v1/billing/checkout", "plans_path": "/v1/billing/plans"}`;
const analysisOf = (habitId: string, tier: string, metrics: string, end: string) => `{
  "generated_at": "2026-01-31T12:00:00.000Z", "tier": "${tier}",
  "period": {"from": "2025-11-03", "to": "2026-01-31", "days": 90, "timezone": "Europe/Madrid"},
  "habits": [{"habit_id": "${habitId}", "habit": "Morning run", "metrics": {${metrics}}}],
  "aggregate_summary": {"habit_count": 1, "left_out": 0, "horizon_days": 35, "mean_adherence": 0.8315,
    "mean_consistency": 0.7873, "mean_momentum": 0.6923, "mean_lapse_risk": 0.1729,
    "bands": {"low": 1, "moderate": 0, "high": 0},
    "highest_risk": {"habit": "Morning run", "lapse_risk": 0.1729, "band": "low"}},
  "highlights": ["Morning run: 9 days in a row, 83% completed."], "watchouts": [],
  "recommendations": ["Morning run: Keep the schedule as it is."]${end}
}`;
const compact = (text: string) => JSON.stringify(JSON.parse(text));

describe('the documented history', () => {
  it('gives the documented analysis, byte by byte: on Premium with correlations, without redaction and limit', async () => {
    const ana = await somebody(madrid);
    const id = await ana.publishedHabit();
    await ana.ask('analyze');
    const free = await ana.ask('analyze', {});
    expect(free.text).toBe(compact(analysisOf(id, 'FREE', METRICS, REDACTED)));
    expect(quotaOf(free)).toEqual({ limit: '5', used: '2', remaining: '3', period: '2026-01' });
    await accounts.grantPremium(ana.person.id);
    const premium = await ana.ask('analyze');
    expect(premium.text).toBe(compact(analysisOf(id, 'PREMIUM', PREMIUM_METRICS, '')));
    expect(quotaOf(premium)).toEqual({ used: '3', period: '2026-01' });
    expect(await ana.usage()).toEqual({ used: 3, events: [1, 2, 3] });
  });

  it('gives the documented insight', async () => {
    const ana = await somebody(madrid);
    const habitId = await ana.publishedHabit();
    const { body, text } = await ana.ask('insights', { limit: 20, habitId });
    const [{ id }] = body.insights as [{ id: string }];
    expect(text).toBe(
      compact(`{"insights": [{"id": "${id}", "habit_id": "${habitId}", "habit": "Morning run", "kind": "streak",
        "code": "strong_streak", "severity": "info", "title": "Strong streak", "body": "9 days in a row, 83% completed.",
        "evidence": {"current_streak": 9, "best_streak": 21}, "period": {"from": "2025-11-03", "to": "2026-01-31"},
        "free_readable": true, "created_at": "2026-01-31T12:00:00.000Z"}],
        "limit": 5, "requested_limit": 20, "clamped": true, "next_cursor": null,
        "redacted": {"fields": ["insights"], "reason": "premium_required", "feature": "full_insight_history",
          "upgrade_path": "/v1/billing/checkout", "plans_path": "/v1/billing/plans"}}`),
    );
  });

  it('is recommended and planned for', async () => {
    const ana = await somebody(madrid);
    const habit_id = await ana.publishedHabit();
    const recommended = (metrics: string, end: string) =>
      compact(`{"recommendations": [{"habit_id": "${habit_id}", "habit": "Morning run",
        "action": "Keep the schedule as it is.", "rationale": "Completed 83%, streak 9 of best 21 days, lapse risk 17%.",
        "priority": 0.1985, "index": 0, "code": "maintain"}],
        "generated_for_habits": 1, "metrics": {"${habit_id}": {${metrics}}}${end}}`);
    expect((await ana.ask('recommend')).text).toBe(recommended(METRICS, REDACTED));
    const refused = await ana.ask('plan');
    expect([refused.status, refused.body.error]).toEqual([402, 'premium_required']);
    expect(refused.body.details).toEqual({ feature: 'habit_plans', required_tier: 'PREMIUM', ...PATHS });

    await accounts.grantPremium(ana.person.id);
    expect((await ana.ask('recommend')).text).toBe(recommended(PREMIUM_METRICS, ''));
    const { body } = await ana.ask('plan');
    expect(body).toMatchObject({ horizon_days: 35, starts_on: '2026-02-01', ends_on: '2026-03-07' });
    expect(Object.keys(body).join()).toBe('generated_at,horizon_days,starts_on,ends_on,plan,rationale');
    const [planned] = body.plan as { weeks: object[] }[];
    expect(planned).toMatchObject({ habit_id, index: 0, habit: 'Morning run' });
    expect(JSON.stringify(planned!.weeks[0])).toBe(
      compact(`{"week": 1, "start_day": 1, "days": 7, "target_rate": 0.8484, "target_sessions": 6,
        "start_date": "2026-02-01", "end_date": "2026-02-07",
        "dates": ["2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04", "2026-02-05", "2026-02-06"]}`),
    );
    expect(await ana.usage()).toEqual({ used: 0, events: [] });
  });
});

describe('the habits that an answer is about', () => {
  const names = ({ body }: { body: Record<string, unknown> }) =>
    (body.habits as { habit: string }[]).map(({ habit }) => habit);

  it('are the active ones, most recently logged first, at most 25; else those that are named, archived ones too', async () => {
    const ana = await somebody();
    await ana.habit({ name: 'never' });
    const old = await ana.habit({ name: 'old', logs: logsOf('d', '2026-01-10') });
    await ana.habit({ name: 'new', logs: logsOf('d.d', '2026-01-20') });
    const gone = await ana.habit({ name: 'gone', archived: true, logs: logsOf('d', '2026-01-30') });
    const few = await ana.ask('analyze');
    expect([names(few), few.body.truncated]).toEqual([['new', 'old', 'never'], undefined]);
    expect(names(await ana.ask('analyze', { habitIds: [gone, old.toUpperCase(), gone] }))).toEqual(['gone', 'old']);
    for (let more = 0; more < 23; more++) await ana.habit({ name: `more ${more}`, logs: logsOf('d', '2026-01-25') });
    const many = await ana.ask('analyze');
    expect([names(many).length, names(many).slice(-2), many.body.truncated]).toEqual([25, ['new', 'old'], true]);
    expect((await ana.ask('recommend')).body).toMatchObject({ generated_for_habits: 25, truncated: true });
  });

  it('have the same correlations whichever others are asked about', async () => {
    const ana = await somebody();
    await accounts.grantPremium(ana.person.id);
    const habitId = await ana.publishedHabit();
    const { first, days } = PUBLISHED;
    // Of fixed days the target says nothing: the same log twice is one.
    const twice = logsOf(days, first).flatMap((log) => [
      { ...log, mood: 3 },
      { ...log, mood: 3 },
      { ...log, mood: 9 },
    ]);
    const gym = await ana.habit({ name: 'Gym', targetPerWeek: 9, logs: twice });
    const metricsOf = async (body: object) => {
      const { habits } = (await ana.ask('analyze', body)).body as { habits: { metrics: object }[] };
      return habits[0]!.metrics;
    };
    expect(await metricsOf({ habitId })).toEqual(await metricsOf({ habitIds: [habitId, gym] }));
  });

  it('are looked at on a day and over a window of the person', async () => {
    const ana = await somebody({ timezone: 'Pacific/Kiritimati' });
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

  it.each<[object, string]>([
    [{ habitId: UNKNOWN_ID, habitIds: [UNKNOWN_ID] }, '/habitIds conflict'],
    [{ asOf: '2026-02-30' }, '/asOf bad_format'],
    [{ asOf: '1999-12-31' }, '/asOf out_of_range'],
    [{ asOf: '2026-02-02' }, '/asOf out_of_range'],
    [{ persona: 'x' }, '/persona unknown_property'],
  ])('%j is refused everywhere', async (body, issue) => {
    const ana = await somebody();
    for (const route of ROUTES) expect(issuesOf(await ana.ask(route, body))).toEqual([issue]);
  });
});

it('an analysis is counted when it has a habit, with logs or without', async () => {
  const ana = await somebody();
  const usedAfter = async () => quotaOf(await ana.ask('analyze'));
  const unused = { limit: '5', used: '0', remaining: '5', period: '2026-01' };
  expect(await usedAfter()).toEqual(unused);
  const archived = await ana.habit({ archived: true });
  expect(await usedAfter()).toEqual(unused);
  expect(await ana.usage()).toEqual({ used: 0, events: [] });
  expect(quotaOf(await ana.ask('analyze', { habitId: archived }))).toMatchObject({ used: '1' });
  await ana.habit();
  expect(await usedAfter()).toMatchObject({ used: '2' });
});

it('a used month refuses analyses with the headers of its quota, and counts no refusal', async () => {
  const eva = await somebody();
  await eva.habit();
  for (let used = 1; used <= 5; used++)
    expect(quotaOf(await eva.ask('analyze'))).toMatchObject({ used: String(used), remaining: String(5 - used) });
  expect((await eva.ask('analyze', { windowDays: 1 })).status).toBe(400);
  const reply = await eva.ask('analyze');
  const quota = { feature: 'analyses', used: 5, limit: 5, limit_kind: 'hard', period: '2026-01' };
  expect([reply.status, reply.body.error]).toEqual([402, 'quota_exceeded']);
  expect(reply.body.details).toEqual({ ...quota, ...PATHS, payment_headers_accepted: false });
  expect(quotaOf(reply)).toEqual({ limit: '5', used: '5', remaining: '0', period: '2026-01' });
  // Premium is counted too, without a limit; who is Free again has used more than there is.
  await accounts.grantPremium(eva.person.id);
  expect(quotaOf(await eva.ask('analyze'))).toEqual({ used: '6', period: '2026-01' });
  await accounts.grantPremium(eva.person.id, new Date('2026-01-31T12:00:00Z'));
  expect(quotaOf(await eva.ask('analyze'))).toEqual({ limit: '5', used: '6', remaining: '0', period: '2026-01' });
});

it('Free answers are equal whether or not mood goes with anything', async () => {
  const first = '2025-11-13';
  const everyDay = logsOf('d'.repeat(80), first);
  const isDone = (at: number) => at % 4 !== 1;
  /** All answers about habits with these moods, with ids that are places in place of ids that are random. */
  const answersWith = async (moods: readonly number[], tier: 'FREE' | 'PREMIUM') => {
    const eva = await somebody();
    if (tier === 'PREMIUM') await accounts.grantPremium(eva.person.id);
    // Low enough for an action that speaks of mood.
    const run = everyDay.flatMap((log, at) => (isDone(at) ? { ...log, mood: 3 } : []));
    const diary = everyDay.map((log, at) => ({ ...log, mood: moods[at]! }));
    const habitIds = [];
    for (const [name, logs] of Object.entries({ run, diary }))
      habitIds.push(await eva.habit({ name, startDay: first, logs }));
    const texts: string[] = [];
    for (const route of ['analyze', 'recommend', 'insights'] as const) {
      const { text } = await eva.ask(route, { habitIds });
      const withPlaces = habitIds.reduce((all, id, place) => all.replaceAll(id, `habit-${place}`), text);
      texts.push(withPlaces.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"insight"'));
    }
    return texts;
  };
  // Higher on days on which the habit was done; then in another order: their mean, which Free shows too, stays as it is.
  const linked = everyDay.map((_, at) => Math.min(10, 1 + ((at * 7) % 5) + (isDone(at) ? 6 : 0)));
  const unlinked = linked.toSorted((one, other) => one - other);
  expect(await answersWith(linked, 'FREE')).toEqual(await answersWith(unlinked, 'FREE'));
  expect((await answersWith(linked, 'PREMIUM'))[0]).toContain('"mood_correlation":{');
});
