import { logsOf } from '../logs/calendar.fixture';
import { civilDate, dayNumber, type HabitHistory, type HabitLog, type HistoriesRequest } from '../index';

/** 2026-01-05 is a Monday. */
const MONDAY = '2026-01-05';
const WEEKS = 13;

interface Making extends Partial<HabitHistory> {
  /** First day of the calendar. */
  readonly first?: string;
  /** Days before the first letter on which the person looks. */
  readonly lookedAt?: string;
  readonly windowDays?: number;
  /** Mood, energy and stress by day, `.` for none, 0 for 10. */
  readonly mood?: string;
  readonly energy?: string;
  readonly stress?: string;
}

/**
 * A history as a calendar is read, a letter a day: d done, p half, s skipped, a digit that many tenths, anything else
 * nothing. It is looked at on the day of the last letter.
 */
function looking(letters: string, making: Making = {}): HistoriesRequest {
  const { first = MONDAY, lookedAt, windowDays, mood, energy, stress, ...habit } = making;
  const plain = letters.replaceAll(' ', '');
  const dayOf = (at: number) => civilDate(dayNumber(first) + at);
  const scoreOn = (marks: string | undefined, at: number) => {
    const mark = marks?.replaceAll(' ', '')[at] ?? '.';
    return mark === '.' ? undefined : Number(mark) || 10;
  };
  const scoresOf = (at: number) => ({
    moodScore: scoreOn(mood, at),
    energyScore: scoreOn(energy, at),
    stressScore: scoreOn(stress, at),
  });
  const tenths = [...plain].flatMap((letter, at): HabitLog[] =>
    /\d/.test(letter) ? [{ localDate: dayOf(at), status: 'PARTIAL', completionRate: Number(letter) / 10 }] : [],
  );
  const diary = [...plain].map((_, at): HabitLog => ({ localDate: dayOf(at), status: 'SKIPPED', ...scoresOf(at) }));
  const logs = [...logsOf(plain, first), ...tenths].map((log) => ({
    ...log,
    ...scoresOf(dayNumber(log.localDate) - dayNumber(first)),
  }));
  const isLogged = new Set(logs.map(({ localDate }) => localDate));
  return {
    habits: [{ name: 'it', startDate: first, logs, ...habit }],
    otherHabits: [{ name: 'Diary', startDate: first, logs: diary.filter(({ localDate }) => !isLogged.has(localDate)) }],
    asOf: lookedAt ?? dayOf(plain.length - 1),
    windowDays,
  };
}

const weeks = (week: string, count = WEEKS) => week.repeat(count);
const twice = (letters: string, first = MONDAY) => [...logsOf(letters, first), ...logsOf(letters, first)];
const WEEKDAYS_ONLY = 0b11111;
const MONDAY_WEDNESDAY_FRIDAY = 0b10101;
const TIRED = '9998887776665554443332221111';

/** Histories that people have, by what is to be seen in them. */
export const MADE_HISTORIES: Readonly<Record<string, HistoriesRequest>> = {
  'made today, nothing logged': looking('.'),
  'made today, done today': looking('d'),
  'made yesterday, nothing logged': looking('m.'),
  'made 90 days ago, one log then': looking(`d${'.'.repeat(90)}`),
  'every day 0.4': looking('4'.repeat(90)),
  'every other day': looking('d.'.repeat(45)),
  'nine of ten days': looking('dddddddddm'.repeat(9)),
  'two weeks away and back for three days': looking(`${'d'.repeat(40)}${'m'.repeat(14)}ddd`),
  'everything skipped': looking('s'.repeat(30)),
  'a good year, then a bad quarter': looking(`${'d'.repeat(275)}${'m.d...m'.repeat(13)}`),
  'better and better': looking('d...... d.d.... d.d.d.. d.ddd.. ddddd.. dddddd. ddddddd ddddddd ddddddd'),
  'starts in three weeks': looking('.', { startDate: '2026-01-26' }),
  'starts in three weeks, practised before': looking('ddddd', { startDate: '2026-01-26' }),
  'no start given, first logged a week ago': looking('dd.dddd', { startDate: undefined, createdOn: '2026-01-11' }),
  'Monday, Wednesday and Friday, perfect': looking(weeks('d.d.d..'), { targetDaysMask: MONDAY_WEDNESDAY_FRIDAY }),
  'Monday, Wednesday and Friday, nothing, on a Tuesday': looking(`${weeks('.......', 6)}..`, {
    targetDaysMask: MONDAY_WEDNESDAY_FRIDAY,
  }),
  'weekdays, Fridays missed': looking(weeks('dddd...'), { targetDaysMask: WEEKDAYS_ONLY }),
  'weekdays, a streak broken on Friday, on a Saturday': looking(`${weeks('ddddd..', 6)}dddd..`, {
    targetDaysMask: WEEKDAYS_ONLY,
  }),
  'weekly, done in the first week': looking('.d.', { cadence: 'WEEKLY' }),
  'weekly, 20 weeks perfect, open on its day': looking(`${weeks('d......', 20)}.`, { cadence: 'WEEKLY' }),
  'weekly, three weeks perfect': looking(weeks('d......', 3), { cadence: 'WEEKLY' }),
  'weekly, nothing for three weeks': looking(`${weeks('d......', 20)}${weeks('.......', 3)}.`, { cadence: 'WEEKLY' }),
  'weekly, back after two months, done today': looking(`${weeks('d......', 6)}${weeks('.......', 8)}.d`, {
    cadence: 'WEEKLY',
  }),
  'weekly, done every other week': looking(weeks('d...... .......', 7), { cadence: 'WEEKLY' }),
  '3 a week, held at 2': looking(weeks('d..d...'), { targetPerWeek: 3 }),
  '3 a week, held at 2, met this week': looking(`${weeks('d..d...')}ddd`, { targetPerWeek: 3 }),
  '3 a week, made on a Thursday, on the Monday after': looking('d.d..', { first: '2026-01-08', targetPerWeek: 3 }),
  '14 a week, perfect': looking('.'.repeat(91), { targetPerWeek: 14, logs: twice('d'.repeat(91)) }),
  'energy falling, else perfect': looking('d'.repeat(28), { energy: TIRED }),
  'energy falling, weekends off': looking(weeks('ddddd..', 8), { energy: `${'.'.repeat(28)}${TIRED}` }),
  'energy falling, half missed': looking('d.'.repeat(14), { energy: TIRED }),
  'energy rising': looking('ddddmdd'.repeat(4), { energy: [...TIRED].reverse().join('') }),
  'low mood, lower on missed days': looking('ddm'.repeat(28), { mood: '342'.repeat(28) }),
  'stress on missed days': looking('dddmdd'.repeat(14), { stress: '333933'.repeat(14) }),
  'a streak of 60, a week skipped, seen over 7 days': looking(`${'d'.repeat(60)}sssssss`, { windowDays: 7 }),
  'weekly, this week open, seen over 7 days': looking(`${weeks('d......', 8)}...`, {
    cadence: 'WEEKLY',
    windowDays: 7,
  }),
  'looked at before its first day': looking('ddd', { lookedAt: '2026-01-02' }),
};
