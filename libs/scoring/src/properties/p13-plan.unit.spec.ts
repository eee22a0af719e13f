import fc from 'fast-check';
import { planHabits } from '../index';
import { weeklyTargets } from '../plan/target-ramp';
import { forEachOf } from './for-each-of.fixture';
import { aHabit, aHorizon, aRatio } from './summaries.fixture';

const aTarget = fc.integer({ min: 1, max: 14 });
const LONGEST_PLAN_WEEKS = 26;

describe('P13', () => {
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
