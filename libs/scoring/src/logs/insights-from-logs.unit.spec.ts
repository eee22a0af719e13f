import { logsOf, moodsOf } from '../examples/calendar.fixture';
import { diary, NINETIETH_DAY, ninetyDays } from '../examples/published.fixture';
import { analyzeLogs, analyzeLogsWithInsights, type HabitHistory, insightsFromLogs } from '../index';

const first = '2026-01-05';
const insightsOf = (letters: string, asOf: string, habit: Partial<HabitHistory> = {}) =>
  insightsFromLogs({ habits: [{ name: 'a', startDate: first, logs: logsOf(letters, first), ...habit }], asOf });

describe('insightsFromLogs', () => {
  it('warns of a broken streak and a high risk, in sentences', () => {
    const insights = insightsOf('ddddddd mmmmm', '2026-01-17');
    expect(insights.map(({ code, kind, severity, title, body }) => [code, kind, severity, title, body])).toEqual([
      ['high_lapse_risk', 'risk', 'warning', 'High lapse risk', 'Lapse risk 74% (high).'],
      ['broken_streak', 'streak', 'warning', 'Broken streak', 'A best streak of 7 days is broken.'],
    ]);
    expect(insights[0]!.evidence).toEqual({ lapse_risk: 0.7368, band: 'high' });
  });

  it('warns of falling energy above the low band only', () => {
    const falling = (letters: string) => {
      const energy = moodsOf('9988776655443', first);
      const logs = logsOf(letters, first).map((log, i) => ({ ...log, energyScore: energy[i]?.moodScore }));
      return insightsOf('', '2026-01-18', { logs }).map(({ code }) => code);
    };
    expect(falling('ddddddddddddd')).toEqual(['strong_streak']);
    expect(falling('ddddddddddddm')).toEqual(['broken_streak', 'falling_energy']);
  });

  it('praises a best weekday only when something was done on it', () => {
    const fourWeeks = (week: string) => insightsOf(week.repeat(4), '2026-02-02');
    expect(fourWeeks('mdmmmmm').find(({ code }) => code === 'best_weekday')).toMatchObject({
      kind: 'schedule',
      severity: 'info',
      body: 'Best on Tuesday: 100% of 4 days.',
      evidence: { weekday: 2, completion_rate: 1, n: 4 },
    });
    expect(fourWeeks('mmmmmmm').map(({ code }) => code)).toEqual(['high_lapse_risk']);
  });

  it('tells high adherence with its occasions', () => {
    expect(insightsOf('dddddddddmddd', '2026-01-17')[0]).toMatchObject({
      code: 'high_adherence',
      body: '92% completed.',
      evidence: { completion_rate: 0.9231, occasions: 13 },
    });
  });
});

it('keep only correlations from Free readers', () => {
  const request = { habits: [ninetyDays], otherHabits: [diary], asOf: NINETIETH_DAY };
  const readable = insightsFromLogs(request).map(({ code, free_readable }) => [code, free_readable]);
  expect(readable).toEqual([
    ['strong_streak', true],
    ['mood_link', false],
  ]);
  expect(insightsFromLogs({ ...request, correlations: 'withheld' }).map(({ code }) => code)).toEqual(['strong_streak']);
});

it('come with the analysis as they come alone', () => {
  const request = { habits: [ninetyDays, diary], asOf: NINETIETH_DAY };
  const together = analyzeLogsWithInsights(request);
  const apart = { analysis: analyzeLogs(request), insights: insightsFromLogs(request) };
  expect(JSON.stringify(together)).toBe(JSON.stringify(apart));
  expect(together.insights.length).toBeGreaterThan(0);
});
