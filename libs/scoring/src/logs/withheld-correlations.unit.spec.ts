import { logsOf } from '../examples/calendar.fixture';
import { analyzeLogs, recommendFromLogs, type HabitHistory } from '../index';

// Low moods on most days, lower still on the missed ones.
const first = '2026-01-05';
const letters = 'dddm dddm dddm dddm dddm dddm ddd'.replaceAll(' ', '');
const run: HabitHistory = {
  name: 'Run',
  startDate: first,
  logs: logsOf(letters, first).map((log) => ({ ...log, moodScore: 5 })),
};
const diary: HabitHistory = {
  name: 'Diary',
  startDate: first,
  logs: logsOf(letters.replaceAll('d', '.').replaceAll('m', 'd'), first).map((log) => ({ ...log, moodScore: 1 })),
};
const lowRun = { ...run, logs: run.logs.map((log) => ({ ...log, moodScore: 4 })) };
const request = { habits: [lowRun], otherHabits: [diary], asOf: '2026-01-31' };

describe('withheld correlations', () => {
  it('are told to Premium, with the action that speaks of them', () => {
    expect(analyzeLogs(request).habits[0]!.metrics).toMatchObject({ mood_correlation: { coefficient: 1 } });
    expect(recommendFromLogs(request).recommendations[0]).toMatchObject({
      code: 'support_mood',
      rationale: expect.stringContaining('Average mood 4, mood correlation 1.'),
    });
  });

  it('are absent otherwise, and the next rule gives the action', () => {
    const withheld = { ...request, correlations: 'withheld' as const };
    const { metrics } = analyzeLogs(withheld).habits[0]!;
    expect(Object.keys(metrics).filter((member) => member.includes('correlation'))).toEqual([]);
    expect(recommendFromLogs(withheld).recommendations[0]).toMatchObject({ code: 'maintain' });
    expect(JSON.stringify(recommendFromLogs(withheld))).not.toContain('orrelation');
  });
});
