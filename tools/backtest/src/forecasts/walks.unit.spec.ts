import { analyzeLogs, civilDate, scoreTask } from '@evenkeel/scoring';
import fc from 'fast-check';
import type { Forecasts } from './forecasts';
import { aSchedule, aWeekStart, FIRST_DAY, habitOf, lettersOf } from './lives.fixture';
import { walkHabit } from './walk-habit';
import { walkTask } from './walk-task';

/** Forecasts up to a day, without outcomes. */
function saidUntil({ day, known, given }: Forecasts, last: number) {
  return day.flatMap((made, at) =>
    made > last ? [] : [[made, known[at], given.engine[at], given.share[at], given.strength[at]]],
  );
}

describe('a walk through a habit', () => {
  it('lets no forecast see its own day or the future', () => {
    fc.assert(
      fc.property(
        lettersOf({ min: 20, max: 60 }),
        lettersOf({ min: 60, max: 60 }),
        fc.nat(40),
        aSchedule,
        aWeekStart,
        (letters, others, at, schedule, weekStart) => {
          const cut = Math.min(at, letters.length);
          const changed = letters.slice(0, cut) + others.slice(0, letters.length - cut);
          const [one, other] = [letters, changed].map((life) => walkHabit(habitOf(life, schedule), weekStart));
          // Days without a forecast may differ: a skipped week has no outcome.
          const both = new Set(one!.day.filter((day) => other!.day.includes(day)));
          const common = (walked: Forecasts) => saidUntil(walked, FIRST_DAY + cut).filter(([day]) => both.has(day!));
          expect(common(other!)).toEqual(common(one!));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('says what the engine says of the logs before', () => {
    fc.assert(
      fc.property(lettersOf({ min: 10, max: 40 }), aSchedule, aWeekStart, (letters, schedule, weekStart) => {
        const habit = habitOf(letters, schedule);
        const { day, given } = walkHabit(habit, weekStart);
        day.forEach((morning, at) => {
          const asOf = civilDate(morning);
          const logs = habit.history.logs.filter(({ localDate }) => localDate < asOf);
          const { habits } = analyzeLogs({ habits: [{ ...habit.history, logs }], asOf, weekStart });
          expect(given.engine[at]).toBe(habits[0]!.metrics.lapse_risk);
        });
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['three of seven days done is a lapse', 'd' + 'd.d.d..', [1]],
    ['four are none', 'd' + 'd.d.dd.', [0]],
    ['little completion is not done', 'd' + 'qqqqddd', [1]],
    ['a skip beside work is work', 'd' + 'bbbb...', [0]],
  ])('%s', (_, letters, came) => {
    expect(walkHabit(habitOf(letters), 'MONDAY').came).toEqual(came);
  });

  it.each([
    ['one of three sessions is a lapse', 1, '.....d.', 1],
    ['fewer with a skip are neither', 1, '..s..d.', undefined],
  ])('of a habit three times a week %s', (_, __, week, came) => {
    const schedule = { times: 3, days: 7, schedule: { targetPerWeek: 3 } };
    // From a Wednesday on: two weeks give evidence, then comes the week asked about.
    const walked = walkHabit(habitOf(`d.d.d..d.d.d..${week}`, schedule), 'MONDAY');
    expect(walked.came[walked.day.indexOf(FIRST_DAY + 14)]).toBe(came);
  });

  it('asks about no day of which the end is not known', () => {
    expect(Math.max(...walkHabit(habitOf('d'.repeat(30)), 'MONDAY').day)).toBe(FIRST_DAY + 23);
    expect(walkHabit(habitOf('ddddddd'), 'MONDAY').came).toEqual([]);
  });

  it('has the share done so far and the strength of Loop as baselines', () => {
    const { given } = walkHabit(habitOf('d.dds' + 'ddddddd'), 'MONDAY');
    const kept = 0.5 ** (1 / 13);
    const strengths = [1, 0, 1, 1].reduce<number[]>(
      (all, x) => [...all, (all.at(-1) ?? 0) * kept + x * (1 - kept)],
      [],
    );
    const before = (values: number[], at: number) => Math.round((1 - values[at]!) * 1e4) / 1e4;
    expect(given.share).toEqual([0, 0.5, 0.3333, 0.25, 0.25]);
    expect(given.strength.slice(0, 4)).toEqual([0, 1, 2, 3].map((at) => before(strengths, at)));
    // A skipped day leaves the strength as it was.
    expect(given.strength[4]).toBe(given.strength[3]);
  });
});

const HOUR_MS = 3_600_000;
const runsOf = (oks: readonly boolean[]) => oks.map((ok, run) => ({ atMs: Date.UTC(2026, 0) + run * HOUR_MS, ok }));

describe('a walk through a task', () => {
  it('lets no forecast see its own run or a later one', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 40 }), fc.nat(40), (oks, at) => {
        const cut = Math.min(at, oks.length);
        const changed = oks.map((ok, run) => (run < cut ? ok : !ok));
        const [one, other] = [oks, changed].map((all) => walkTask({ name: 'Job', runs: runsOf(all) }));
        for (const who of ['engine', 'share', 'strength'] as const) {
          expect(other!.given[who].slice(0, cut)).toEqual(one!.given[who].slice(0, cut));
        }
      }),
    );
  });

  it('asks the engine with the summary of the runs before', () => {
    const { came, given, known } = walkTask({ name: 'Job', runs: runsOf([true, true, false, true, true]) });
    const summary = { name: 'Job', success_rate: 0.75, current_streak: 1, best_streak: 2, runs: 4 };
    expect(known).toEqual([1, 2, 3, 4]);
    expect(came).toEqual([0, 1, 0, 0]);
    expect(given.engine[3]).toBe(scoreTask(summary).failure_risk);
    expect(given.share).toEqual([0, 0, 0.3333, 0.25]);
  });

  it.each([
    [0.1, 'several times an hour'],
    [24, 'about daily'],
    [720, 'rarely'],
  ])('a run every %d hours is %s', (hours, kind) => {
    const runs = [0, 1, 2].map((run) => ({ atMs: run * hours * HOUR_MS, ok: true }));
    expect(walkTask({ name: 'Job', runs }).kind).toBe(kind);
  });
});
