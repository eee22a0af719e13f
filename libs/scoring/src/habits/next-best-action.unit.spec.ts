import type { HabitSummary } from './habit-summary';
import { nextBestAction } from './next-best-action';
import { recommendForHabits } from './recommend-for-habits';
import { scoreHabit } from './score-habit';

const steady: HabitSummary = { name: 'a', completion_rate: 0.8, current_streak: 5, best_streak: 5 };
const lowMood = { average_mood: 4.9, mood_correlation: 0.3 };

describe('nextBestAction', () => {
  it.each<[string, Partial<HabitSummary>]>([
    ['restart', { current_streak: 0, best_streak: 7 }],
    ['shrink', { current_streak: 0, best_streak: 6, completion_rate: 0.4 }],
    ['shrink', { completion_rate: 0, current_streak: 1, risk_score: 1, energy_trend: 'falling' }],
    ['reschedule', { energy_trend: 'falling', ...lowMood }],
    ['support_mood', { ...lowMood, completion_rate: 0.9, current_streak: 9 }],
    ['maintain', { ...lowMood, average_mood: 5 }],
    ['maintain', { ...lowMood, mood_correlation: 0.2999 }],
    ['maintain', { ...lowMood, mood_correlation: undefined }],
    ['progress', { completion_rate: 0.85, current_streak: 7 }],
    ['maintain', { completion_rate: 0.8499, current_streak: 7 }],
    ['maintain', { completion_rate: 0.9, current_streak: 6 }],
  ])('%s for %j', (action, summary) => {
    expect(nextBestAction(scoreHabit({ ...steady, ...summary }))).toBe(action);
  });

  it('goes by what is printed: 0.84996 is 85 %', () => {
    expect(nextBestAction(scoreHabit({ ...steady, completion_rate: 0.84996, current_streak: 8 }))).toBe('progress');
  });
});

describe('rationale', () => {
  it.each<[Partial<HabitSummary>, string]>([
    [{}, 'Completed 80%, streak 5 of best 5, lapse risk 18%.'],
    [{ energy_trend: 'falling' }, 'Completed 80%, streak 5 of best 5, lapse risk 19%. Energy is falling.'],
    [
      { average_mood: 4.25, mood_correlation: 0.456 },
      'Completed 80%, streak 5 of best 5, lapse risk 18%. Average mood 4.3, mood correlation 0.46.',
    ],
  ])('of %j', (summary, rationale) => {
    const { recommendations } = recommendForHabits({ habits: [{ ...steady, ...summary }] });
    expect(recommendations[0]!.rationale).toBe(rationale);
  });
});
