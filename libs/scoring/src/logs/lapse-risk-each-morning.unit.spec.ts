import fc from 'fast-check';
import { analyzeLogs, civilDate, dayNumber, lapseRiskEachMorning } from '../index';
import { aLife, type Life } from '../properties/histories.fixture';

describe('lapseRiskEachMorning', () => {
  it('tells the risk of analyzeLogs as it was on each morning', () => {
    fc.assert(
      fc.property(aLife({ min: 3, max: 60 }), (life) => {
        const { habit, asOf, weekStart } = life;
        expect(lapseRiskEachMorning(habit, asOf, weekStart)).toEqual(morningsOf(life).map(riskOn));

        function riskOn(morning: string): number | null {
          const seen = { ...habit, logs: habit.logs.filter(({ localDate }) => localDate < morning) };
          return analyzeLogs({ habits: [seen], asOf: morning, weekStart }).habits[0]!.metrics.lapse_risk;
        }
      }),
      { numRuns: sized(300, 1_000) },
    );
  });

  it('agrees where skips run out of their budget', () => {
    fc.assert(
      fc.property(aLife({ min: 100, max: 150 }), (life) => {
        const { habit, asOf, weekStart } = life;
        const seen = { ...habit, logs: habit.logs.filter(({ localDate }) => localDate < asOf) };
        const { lapse_risk } = analyzeLogs({ habits: [seen], asOf, weekStart }).habits[0]!.metrics;
        expect(lapseRiskEachMorning(habit, asOf, weekStart).at(-1)).toBe(lapse_risk);
      }),
      { numRuns: sized(300, 1_000) },
    );
  });

  it('sees nothing of its own day and of later ones', () => {
    fc.assert(
      fc.property(aLife({ min: 20, max: 60 }), fc.nat(20), ({ habit, asOf, weekStart }, back) => {
        const middle = civilDate(dayNumber(asOf) - back);
        const cut = { ...habit, logs: habit.logs.filter(({ localDate }) => localDate < middle) };
        const early = lapseRiskEachMorning(cut, middle, weekStart);
        expect(lapseRiskEachMorning(habit, asOf, weekStart).slice(0, early.length)).toEqual(early);
      }),
    );
  });
});

function morningsOf({ habit, asOf }: Life): string[] {
  const days = dayNumber(asOf) - dayNumber(habit.startDate) + 1;
  return Array.from({ length: Math.max(0, days) }, (_, day) => civilDate(dayNumber(habit.startDate) + day));
}
