import { scheduleOf } from './schedule';

describe('scheduleOf', () => {
  it.each([
    [{}, 'day', 7],
    [{ cadence: 'DAILY' as const }, 'day', 7],
    [{ cadence: 'CUSTOM' as const }, 'day', 7],
    [{ cadence: 'WEEKLY' as const }, 'week', 1],
    [{ cadence: 'WEEKLY' as const, targetPerWeek: 7, targetDaysMask: 0 }, 'day', 7],
    [{ targetPerWeek: 3 }, 'week', 3],
    [{ targetPerWeek: 14 }, 'week', 14],
    [{ cadence: 'WEEKLY' as const, targetPerWeek: 3, targetDaysMask: 21 }, 'day', 3],
    [{ targetPerWeek: 12, targetDaysMask: 127 }, 'day', 7],
    [{ targetPerWeek: null, targetDaysMask: null, cadence: null }, 'day', 7],
  ])('%j', (habit, unit, target) => {
    expect(scheduleOf(habit)).toMatchObject({ unit, target });
  });
});
