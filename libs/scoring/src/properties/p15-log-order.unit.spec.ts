import fc from 'fast-check';
import { analyzeLogs, type HabitHistory, type HabitLog } from '../index';
import { civilDate, dayNumber } from '../logs/civil-days';
import { forEachOf } from './for-each-of.fixture';
import { aLife, type Life } from './histories.fixture';

const aLog = fc.record({
  daysLater: fc.integer({ min: 1, max: 400 }),
  status: fc.constantFrom('COMPLETED' as const, 'PARTIAL' as const, 'SKIPPED' as const),
  moodScore: fc.integer({ min: 1, max: 10 }),
});

describe('P15', () => {
  it('does not see the order of logs, the same log twice (targets up to 7), or logs after the evaluation day', () => {
    const changes = fc.record({
      life: aLife({ min: 5, max: 22 }),
      turn: fc.nat(60),
      repeated: fc.array(fc.nat(60), { maxLength: 5 }),
      later: fc.array(aLog, { maxLength: 3 }),
      start: fc.constantFrom('given', 'of creation', 'of the earliest log'),
    });
    forEachOf(changes, ({ life: { habit, ...viewpoint }, turn, repeated, later, start }) => {
      const startDate = start === 'given' ? habit.startDate : undefined;
      const createdOn = start === 'of creation' ? habit.startDate : undefined;
      const life = { ...viewpoint, habit: { ...habit, startDate, createdOn } };
      const { logs, targetPerWeek } = life.habit;
      const twice = (targetPerWeek ?? 7) > 7 || logs.length === 0 ? [] : repeated.map((i) => logs[i % logs.length]!);
      const after = later.map(({ daysLater, ...log }): HabitLog => {
        return { ...log, localDate: civilDate(dayNumber(life.asOf) + daysLater) };
      });
      const changed = [...logs.slice(turn), ...twice, ...after, ...logs.slice(0, turn).reverse()];
      return answer(life, logs) === answer(life, changed);
    });
  });
});

function answer(
  { habit, asOf, weekStart }: Omit<Life, 'habit'> & { habit: HabitHistory },
  logs: readonly HabitLog[],
): string {
  return JSON.stringify(analyzeLogs({ habits: [{ ...habit, logs }], asOf, weekStart }));
}
