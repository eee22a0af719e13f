import { analyzeLogs, civilDate, dayNumber, type HabitLog, scoreTask, type WeekStart } from '@evenkeel/scoring';
import fc from 'fast-check';
import type { Series } from './forecasts';
import type { Habit } from './read-file';
import { walkHabit } from './walk-habit';
import { walkTask } from './walk-task';

const FIRST_DAY = dayNumber('2025-03-05');

const ENTRIES: Readonly<Record<string, Omit<HabitLog, 'localDate'>[]>> = {
  d: [{ status: 'COMPLETED' }],
  h: [{ status: 'PARTIAL' }],
  q: [{ status: 'PARTIAL', completionRate: 0.3 }],
  s: [{ status: 'SKIPPED' }],
  b: [{ status: 'SKIPPED' }, { status: 'COMPLETED' }],
  '.': [],
};
const DAILY = { times: 1, days: 1, schedule: {} };
const SCHEDULES = [
  DAILY,
  { times: 3, days: 7, schedule: { targetDaysMask: 21 } },
  { times: 1, days: 7, schedule: { cadence: 'WEEKLY' as const } },
  { times: 3, days: 7, schedule: { targetPerWeek: 3 } },
  { times: 1, days: 10, schedule: { targetPerWeek: 1 } },
  { times: 10, days: 7, schedule: { targetPerWeek: 10 } },
];

/** A habit by letters, a day each. */
function habitOf(letters: string, { times, days, schedule }: (typeof SCHEDULES)[number] = DAILY): Habit {
  const logs = [...letters].flatMap((letter, at) =>
    ENTRIES[letter]!.map((entry) => ({ localDate: civilDate(FIRST_DAY + at), ...entry })),
  );
  const history = { name: 'Run', startDate: civilDate(FIRST_DAY), ...schedule, logs };
  return { name: 'Run', kind: '', frequency: { times, days }, history, lastDay: FIRST_DAY + letters.length - 1 };
}

const lettersOf = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...Object.keys(ENTRIES), 'd', 'd', '.'), minLength, maxLength });
const aSchedule = fc.constantFrom(...SCHEDULES);
const aWeekStart = fc.constantFrom<WeekStart>('MONDAY', 'SUNDAY', 'SATURDAY');

it('no forecast of a habit sees its own day or the future', () => {
  const property = fc.property(
    lettersOf(20, 60),
    lettersOf(60, 60),
    fc.nat(40),
    aSchedule,
    aWeekStart,
    (letters, others, at, schedule, weekStart) => {
      const cut = Math.min(at, letters.length);
      const changed = letters.slice(0, cut) + others.slice(0, letters.length - cut);
      const [one, other] = [letters, changed].map((life) => walkHabit(habitOf(life, schedule), weekStart).forecasts);
      // Days without a forecast may differ: a skipped week has no outcome.
      const common = (these: Series['forecasts'], those: Series['forecasts']) =>
        these.flatMap(({ came: _, ...said }) =>
          said.day <= FIRST_DAY + cut && those.some(({ day }) => day === said.day) ? [said] : [],
        );
      expect(common(other!, one!)).toEqual(common(one!, other!));
    },
  );
  fc.assert(property, { numRuns: 1_000 });
});

it('the forecast of a morning is what the engine says of the logs before', () => {
  const property = fc.property(lettersOf(10, 40), aSchedule, aWeekStart, (letters, schedule, weekStart) => {
    const { history, ...habit } = habitOf(letters, schedule);
    for (const { day, engine } of walkHabit({ history, ...habit }, weekStart).forecasts) {
      const asOf = civilDate(day);
      const logs = history.logs.filter(({ localDate }) => localDate < asOf);
      const { habits } = analyzeLogs({ habits: [{ ...history, logs }], asOf, weekStart });
      expect(engine).toBe(habits[0]!.metrics.lapse_risk);
    }
  });
  fc.assert(property, { numRuns: 200 });
});

const THREE_A_WEEK = SCHEDULES[3]!;

it.each([
  ['three of seven days done is a lapse', 'd' + 'd.d.d..', DAILY, 1],
  ['four are none', 'd' + 'd.d.dd.', DAILY, 0],
  ['little completion is not done', 'd' + 'qqqqddd', DAILY, 1],
  ['a skip beside work is work', 'd' + 'bbbb...', DAILY, 0],
  ['a week of which the end is not known is not asked about', 'ddddddd', DAILY, undefined],
  // Two weeks from a Wednesday on give evidence, then comes the week asked about.
  ['one of three sessions is a lapse', 'd.d.d..d.d.d..' + '.....d.', THREE_A_WEEK, 1],
  ['fewer with a skip are neither', 'd.d.d..d.d.d..' + '..s..d.', THREE_A_WEEK, undefined],
])('%s', (_, letters, schedule, came) => {
  const { forecasts } = walkHabit(habitOf(letters, schedule), 'MONDAY');
  const morning = FIRST_DAY + Math.max(1, letters.length - 7);
  expect(forecasts.find(({ day }) => day === morning)?.came).toBe(came);
});

it('the share done so far and the strength of Loop are baselines', () => {
  const { forecasts } = walkHabit(habitOf('d.dds' + 'ddddddd'), 'MONDAY');
  const kept = 0.5 ** (1 / 13);
  const strengths = [1, 0, 1, 1].reduce<number[]>((all, x) => [...all, (all.at(-1) ?? 0) * kept + x * (1 - kept)], []);
  // A skipped day leaves the strength as it was.
  const expected = [...strengths, strengths[3]!].map((strength) => Math.round((1 - strength) * 1e4) / 1e4);
  expect(forecasts.map(({ strength }) => strength)).toEqual(expected);
  expect(forecasts.map(({ share }) => share)).toEqual([0, 0.5, 0.3333, 0.25, 0.25]);
});

it('before each run of a task the engine is asked with the summary of the runs before', () => {
  const runs = [true, true, false, true, true].map((ok, run) => ({ atMs: Date.UTC(2026, 0, 1, run), ok }));
  const { forecasts } = walkTask({ name: 'Job', runs });
  const summary = { name: 'Job', success_rate: 0.75, current_streak: 1, best_streak: 2, runs: 4 };
  expect(forecasts.map(({ known, came, share }) => [known, came, share])).toEqual([
    [1, 0, 0],
    [2, 1, 0],
    [3, 0, 0.3333],
    [4, 0, 0.25],
  ]);
  expect(forecasts[3]!.engine).toBe(scoreTask(summary).failure_risk);
});

it.each([
  [0.1, 'several times an hour'],
  [24, 'about daily'],
  [720, 'rarely'],
])('a run every %d hours is %s', (hours, kind) => {
  const runs = [0, 1, 2].map((run) => ({ atMs: run * hours * 3_600_000, ok: true }));
  expect(walkTask({ name: 'Job', runs }).kind).toBe(kind);
});
