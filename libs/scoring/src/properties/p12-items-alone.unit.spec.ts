import fc from 'fast-check';
import { analyzeHabits, analyzeReliability, insightsForHabits, planHabits, scoreHabit } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

const anOrder = fc.shuffledSubarray([...Array(FULL).keys()], { minLength: FULL, maxLength: FULL });

describe('P12', () => {
  it('gives identical aggregates and lists of texts for shuffled habits', () => {
    forEachOf(
      fc.tuple(fullOfHabits, anOrder),
      ([habits, order]) => {
        const shuffled = order.map((index) => habits[index]!);
        return texts(habits) === texts(shuffled);

        function texts(list: typeof habits): string {
          const { aggregate_summary, patterns, correlations, ...lists } = insightsForHabits({ habits: list });
          const across = [patterns, correlations].map((found) => found.filter(({ index }) => index === null));
          const { highlights, watchouts, recommendations } = lists;
          return JSON.stringify([
            { ...aggregate_summary, per_habit: [] },
            highlights,
            watchouts,
            recommendations,
            across,
          ]);
        }
      },
      FULL,
    );
  });

  it('gives identical summaries and watchouts for shuffled tasks', () => {
    forEachOf(
      fc.tuple(fullOfTasks, anOrder),
      ([tasks, order]) => {
        const a = analyzeReliability({ tasks });
        const b = analyzeReliability({ tasks: order.map((index) => tasks[index]!) });
        const ranked = ({ recommendations }: typeof a) => recommendations.map((entry) => ({ ...entry, index: 0 }));
        return (
          JSON.stringify([a.summary, a.watchouts, ranked(a)]) === JSON.stringify([b.summary, b.watchouts, ranked(b)])
        );
      },
      FULL,
    );
  });

  it('scores an item the same alone and among others', () => {
    forEachOf(
      fc.tuple(fullOfHabits, fullOfTasks),
      ([habits, tasks]) => {
        const { per_habit } = analyzeHabits({ habits }).aggregate_summary;
        const { plan } = planHabits({ habits });
        const { assessments } = analyzeReliability({ tasks });
        return habits.every((habit, index) => {
          const alone = analyzeHabits({ habits: [habit] }).aggregate_summary.per_habit[0]!;
          const planned = planHabits({ habits: [habit] }).plan[0]!;
          const assessed = analyzeReliability({ tasks: [tasks[index]!] }).assessments[0]!;
          return (
            JSON.stringify({ ...alone, index }) === JSON.stringify(per_habit[index]) &&
            JSON.stringify({ ...planned, index }) === JSON.stringify(plan[index]) &&
            JSON.stringify({ ...assessed, index }) === JSON.stringify(assessments[index]) &&
            scoreHabit(habit).lapseRisk === alone.lapse_risk
          );
        });
      },
      FULL,
    );
  });
});
