import { logsOf, moodsOf } from '../examples/calendar.fixture';
import { analyzeLogs } from './analyze-logs';
import { correlateScores } from './score-correlation';

const zip = (pairs: readonly (readonly [number, number])[]) => ({
  credit: pairs.map(([credit]) => credit),
  score: pairs.map(([, score]) => score),
});
const repeat = (times: number, ...pairs: (readonly [number, number])[]) =>
  zip(Array.from({ length: times }, () => pairs).flat());

describe('correlateScores', () => {
  it('needs 14 days', () => {
    const thirteen = zip(Array.from({ length: 13 }, (_, i) => [i % 2, 1 + (i % 2)]));
    expect(correlateScores(thirteen)).toEqual({ reason: 'too_few_days', n: 13 });
    expect(correlateScores(repeat(7, [0, 1], [1, 2]))).not.toMatchObject({ reason: 'too_few_days' });
  });

  it('needs three kept and three missed days, and a score that varies', () => {
    const twoMissed = zip(Array.from({ length: 20 }, (_, i) => [i < 2 ? 0 : 1, i % 5]));
    expect(correlateScores(twoMissed)).toEqual({ reason: 'no_variation', kept: 18, missed: 2, constantScore: false });
    const flat = repeat(7, [0, 16 / 3], [1, 16 / 3]);
    expect(correlateScores(flat)).toEqual({ reason: 'no_variation', kept: 7, missed: 7, constantScore: true });
  });

  it('tells nothing that chance explains', () => {
    const unrelated = repeat(4, [0, 3], [1, 3], [0, 7], [1, 7]);
    expect(correlateScores(unrelated)).toMatchObject({ reason: 'not_significant' });
    // r is 0.3, and 0.44 would be significant.
    const weaklyRelated = repeat(5, [0, 4], [0, 6], [1, 6], [1, 5]);
    expect(correlateScores(weaklyRelated)).toEqual({ reason: 'not_significant', n_eff: 20, r_crit: 0.4437 });
  });

  it('counts days that resemble the day before as fewer', () => {
    // Two long halves: both series have an autocorrelation of 3.25/4, so 16 pairs are worth three.
    const halves = zip(Array.from({ length: 16 }, (_, i) => (i < 8 ? [0, 2] : [1, 8])));
    expect(correlateScores(halves)).toEqual({ reason: 'not_significant', n_eff: 3.2753, r_crit: null });
  });

  it('tells direction and strength', () => {
    const against = repeat(6, [0, 9], [1, 3], [1, 2]);
    expect(correlateScores(against)).toMatchObject({ strength: 'clear', direction: 'negative', n: 18 });
  });
});

describe('pairs', () => {
  const first = '2026-01-05';
  const request = {
    habits: [{ name: 'a', startDate: first, logs: logsOf('ddmmdmdd dmmdmmmd', first) }],
    otherHabits: [{ name: 'b', startDate: first, logs: moodsOf('87217298 71381237', first) }],
    asOf: '2026-01-21',
  };
  const moodOf = (changed: Partial<typeof request> & { windowDays?: number }) =>
    analyzeLogs({ ...request, ...changed }).habits[0]!.metrics;

  it('join the credit of a habit with the scores of all habits', () => {
    expect(moodOf({}).mood_correlation).toMatchObject({ n: 16, direction: 'positive', strength: 'clear' });
    expect(moodOf({ otherHabits: [] }).correlation_notes).toMatchObject({ mood: 'too_few_days' });
  });

  it('take the mean of the scores of a date', () => {
    const opposed = { name: 'c', startDate: first, logs: moodsOf('23893812 39729873', first) };
    expect(moodOf({ otherHabits: [...request.otherHabits, opposed] }).correlation_notes).toMatchObject({
      mood: 'no_variation',
    });
  });

  it('lie in the window, and leave pending and excused days out', () => {
    expect(moodOf({ windowDays: 14 }).correlation_notes).toMatchObject({ mood: 'too_few_days' });
    const skipped = [{ ...request.habits[0]!, logs: logsOf('ddmmdmdd dmsdmmmd', first) }];
    expect(moodOf({ habits: skipped }).mood_correlation).toMatchObject({ n: 15 });
    expect(moodOf({ asOf: '2026-01-19' }).mood_correlation).toMatchObject({ n: 14 });
  });
});
