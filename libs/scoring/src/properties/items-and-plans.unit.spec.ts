import fc from 'fast-check';
import { analyzeHabits, analyzeReliability, insightsForHabits, planHabits, scoreHabit } from '../index';
import { weeklyTargets } from '../plan/plan-habit';
import { forEachOf } from './for-each-of.fixture';
import { aHabit, aHorizon, aRatio, FULL, fullOfHabits, fullOfTasks } from './summaries.fixture';

const anOrder = fc.shuffledSubarray([...Array(FULL).keys()], { minLength: FULL, maxLength: FULL });

describe('S12', () => {
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

const aTarget = fc.integer({ min: 1, max: 14 });
const LONGEST_PLAN_WEEKS = 26;

describe('S13', () => {
  it('plans every week of the horizon; full weeks do not depend on its length', () => {
    forEachOf(fc.tuple(aHabit, aHorizon, aHorizon), ([habit, a, b]) => {
      const shorter = planHabits({ habits: [habit], horizon_days: Math.min(a, b) }).plan[0]!;
      const longer = planHabits({ habits: [habit], horizon_days: Math.max(a, b) }).plan[0]!;
      const full = shorter.weeks.filter(({ days }) => days === 7);
      return (
        shorter.weeks.length === Math.ceil(Math.min(a, b) / 7) &&
        shorter.weeks.reduce((days, week) => days + week.days, 0) === Math.min(a, b) &&
        JSON.stringify(full) === JSON.stringify(longer.weeks.slice(0, full.length)) &&
        shorter.weeks.every(({ target_sessions }) => target_sessions >= 1 && target_sessions <= 7)
      );
    });
  });

  it('never lowers rates and sessions from week to week, and raises sessions gently', () => {
    forEachOf(fc.tuple(aRatio, aRatio, aTarget), ([rate, risk, target]) => {
      const weeks = weeklyTargets(rate, risk, target, LONGEST_PLAN_WEEKS);
      const steepest = target > 9 ? 2 : 1;
      return weeks.every(({ rate: reached, sessions }, i) => {
        const before = weeks[i - 1] ?? { rate: reached, sessions };
        return (
          Number.isInteger(sessions) &&
          sessions >= 1 &&
          sessions <= target &&
          reached >= before.rate &&
          sessions >= before.sessions &&
          sessions - before.sessions <= steepest
        );
      });
    });
  });

  it('never gives a lower target for a better completion rate, nor a higher one for a higher risk', () => {
    forEachOf(fc.tuple(aRatio, aRatio, aRatio, aRatio, aTarget), ([c1, c2, r1, r2, target]) => {
      const plan = (rate: number, risk: number) => weeklyTargets(rate, risk, target, LONGEST_PLAN_WEEKS);
      const worse = plan(Math.min(c1, c2), r1);
      const better = plan(Math.max(c1, c2), r1);
      const safer = plan(c1, Math.min(r1, r2));
      const riskier = plan(c1, Math.max(r1, r2));
      return worse.every(
        (_, i) =>
          better[i]!.rate >= worse[i]!.rate &&
          better[i]!.sessions >= worse[i]!.sessions &&
          riskier[i]!.rate <= safer[i]!.rate &&
          riskier[i]!.sessions <= safer[i]!.sessions,
      );
    });
  });
});
