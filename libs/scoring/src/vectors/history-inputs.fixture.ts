import { logsOf } from '../examples/calendar.fixture';
import { diary, NINETIETH_DAY, ninetyDays } from '../examples/published.fixture';
import { MADE_HISTORIES } from '../sentences/made-histories.fixture';
import { civilDate, dayNumber, type HabitHistory, type HabitLog, type HistoriesRequest } from '../index';
import { Chance, type Named } from './summary-inputs.fixture';

const MONDAY = '2026-01-05';

/** Days of a person whose chance of doing, doing part and skipping a day is given, with scores on most of them. */
function lived(seed: number, days: number, [done, partial, skipped]: readonly [number, number, number]): HabitLog[] {
  const chance = new Chance(seed);
  return Array.from({ length: days }, (_, i): HabitLog[] => {
    const localDate = civilDate(dayNumber(MONDAY) + i);
    const fate = chance.ratio();
    const scores = {
      moodScore: chance.maybe(() => 1 + chance.upTo(10)),
      energyScore: chance.maybe(() => 1 + chance.upTo(10)),
      stressScore: chance.maybe(() => 1 + chance.upTo(10)),
    };
    if (fate < done) return [{ localDate, status: 'COMPLETED', ...scores }];
    if (fate < done + partial)
      return [{ localDate, status: 'PARTIAL', completionRate: chance.upTo(101) / 100, ...scores }];
    return fate < done + partial + skipped ? [{ localDate, status: 'SKIPPED', ...scores }] : [];
  }).flat();
}

const aHabit = (habit: Partial<HabitHistory>): HabitHistory => ({
  name: 'Walk',
  startDate: MONDAY,
  logs: [],
  ...habit,
});

export const historyRequests: Named<HistoriesRequest> = {
  'published 90-day history': { habits: [ninetyDays], otherHabits: [diary], asOf: NINETIETH_DAY },
  'worked example: two weeks': { habits: [aHabit({ logs: logsOf('dddmddmmdddddm', MONDAY) })], asOf: '2026-01-19' },
  'worked example: then one more done day': {
    habits: [aHabit({ logs: logsOf('dddmddmmdddddmd', MONDAY) })],
    asOf: '2026-01-19',
  },
  'worked example: then a skip': { habits: [aHabit({ logs: logsOf('dddmddmmdddddms', MONDAY) })], asOf: '2026-01-19' },
  'worked example: once a week': {
    habits: [
      aHabit({ cadence: 'WEEKLY', logs: logsOf('d......'.repeat(20), MONDAY) }),
      aHabit({ name: 'Done', cadence: 'WEEKLY', logs: logsOf(`${'d......'.repeat(20)}d`, MONDAY) }),
    ],
    asOf: '2026-05-25',
  },
  'worked example: three times a week, from a Thursday': {
    habits: [
      aHabit({
        targetPerWeek: 3,
        startDate: '2026-03-05',
        logs: logsOf('d.d. .d.d..d d..d... ddd.... .d.', '2026-03-05'),
      }),
    ],
    asOf: '2026-04-02',
  },
  'worked example: twice a week, third week excused': {
    habits: [
      aHabit({
        targetPerWeek: 2,
        startDate: '2026-03-02',
        logs: logsOf('d..d... .d...d. ..s.... d......', '2026-03-02'),
      }),
    ],
    asOf: '2026-03-30',
  },
  'all targets a week, running week': {
    habits: [1, 2, 3, 4, 5, 6, 8, 9, 10, 14].map((targetPerWeek) =>
      aHabit({
        name: `${targetPerWeek} a week`,
        targetPerWeek,
        logs: lived(200 + targetPerWeek, 75, [0.55, 0.1, 0.06]),
      }),
    ),
    asOf: '2026-03-20',
  },
  'no start date: the earliest log, or the creation day': {
    habits: [
      aHabit({ name: 'log', startDate: undefined, createdOn: '2026-01-12', logs: logsOf('...d.d.', MONDAY) }),
      aHabit({ name: 'creation', startDate: undefined, createdOn: '2026-01-06', logs: logsOf('...d.d.', MONDAY) }),
      aHabit({ name: 'neither', startDate: undefined }),
    ],
    asOf: '2026-01-14',
  },
  'half a credit, less an error of rounding': {
    habits: [
      aHabit({ logs: [{ localDate: MONDAY, status: 'PARTIAL', completionRate: 0.499_999_999_5 }] }),
      aHabit({ logs: [{ localDate: MONDAY, status: 'PARTIAL', completionRate: 0.499_999_99 }] }),
    ],
    asOf: '2026-01-06',
  },
  'nothing yet': { habits: [], asOf: MONDAY },
  'no evidence: fresh, skipped, running week': {
    habits: [
      aHabit({ name: 'fresh' }),
      aHabit({ name: 'skipped', logs: logsOf('s', MONDAY) }),
      aHabit({ name: 'running', targetPerWeek: 3, logs: logsOf('d', MONDAY) }),
    ],
    asOf: MONDAY,
  },
  'skips in date order': {
    habits: [aHabit({ logs: logsOf('sssdddd ddddddd ddddsdd s', MONDAY) })],
    asOf: '2026-01-26',
  },
  'first, partial week; running week; skipped week': {
    habits: [
      aHabit({ name: 'met', targetPerWeek: 2, startDate: '2026-01-09', logs: logsOf('....dd. dd..... d..', MONDAY) }),
      aHabit({
        name: 'not met',
        targetPerWeek: 3,
        startDate: '2026-01-09',
        logs: logsOf('....dd. dd..... d..', MONDAY),
      }),
      aHabit({
        name: 'skipped',
        targetPerWeek: 2,
        startDate: '2026-01-09',
        logs: logsOf('....s.. ds..... d.s', MONDAY),
      }),
    ],
    asOf: '2026-01-21',
    weekStart: 'SUNDAY',
  },
  'fixed days, often': {
    habits: [aHabit({ targetDaysMask: 21, logs: lived(21, 130, [0.6, 0.1, 0.15]) })],
    asOf: '2026-05-10',
    windowDays: 60,
  },
  'once a week, weeks from Saturday': {
    habits: [aHabit({ cadence: 'WEEKLY', logs: lived(1, 120, [0.2, 0.05, 0.05]) })],
    asOf: '2026-05-01',
    weekStart: 'SATURDAY',
  },
  'five times a week': {
    habits: [aHabit({ targetPerWeek: 5, logs: lived(5, 100, [0.7, 0.1, 0.05]) })],
    asOf: '2026-04-14',
  },
  'ten times a week, two a day': {
    habits: [
      aHabit({ targetPerWeek: 10, logs: [...lived(10, 90, [0.8, 0.1, 0.02]), ...lived(11, 90, [0.5, 0.2, 0.02])] }),
    ],
    asOf: '2026-04-03',
  },
  'several habits of one person': {
    habits: [
      aHabit({ name: 'Read', logs: lived(31, 95, [0.85, 0.05, 0.05]) }),
      aHabit({ name: 'Swim', targetPerWeek: 2, logs: lived(32, 95, [0.25, 0, 0.02]) }),
      aHabit({ name: 'Write', targetDaysMask: 31, logs: lived(33, 95, [0.3, 0.2, 0.3]) }),
    ],
    asOf: '2026-04-08',
    correlations: 'withheld',
  },
  ...made(
    '90 of 90 days',
    '3 of 90 days',
    'weekends off',
    'every day 0.4',
    '3 a week, held at 2',
    'nine of ten days',
    'starts in three weeks',
    'weekly, back after two months, done today',
    'at most two coffees a day, three on weekends',
  ),
};

function made(...titles: string[]): Named<HistoriesRequest> {
  return Object.fromEntries(titles.map((title) => [title, MADE_HISTORIES[title]!]));
}
