import type { HabitHistory } from '../logs/habit-history';
import { logsOf, moodsOf } from './calendar.fixture';

const FIRST = '2025-11-03';
const DAYS = 'dddmddd ddddmdd dddddds ddddddd ddddddm dmddddd mdddmdd dddmddm ddddmdm mdmdddd dmdmddd dddmddd dddddd';
const MOODS = '....... ....... ....... ....... ......7 758.7.5 ..6.586 ...38.6 5..88.. 7...66. ...268. .776..6 7..68.';

export const NINETIETH_DAY = '2026-01-31';

const moods = moodsOf(MOODS, FIRST);

/** The habit of the published history; a done day has its mood in its log. */
export const ninetyDays: HabitHistory = {
  name: 'Morning run',
  cadence: 'DAILY',
  targetPerWeek: 7,
  targetDaysMask: 127,
  startDate: FIRST,
  logs: logsOf(DAYS, FIRST).map((log) => {
    const moodScore = moods.find(({ localDate }) => localDate === log.localDate)?.moodScore;
    return moodScore ? { ...log, moodScore } : log;
  }),
};

const logged = new Set(ninetyDays.logs.map(({ localDate }) => localDate));

/** The mood of a missed day comes from a log of another habit. */
export const diary: HabitHistory = {
  name: 'Diary',
  startDate: FIRST,
  logs: moods.filter(({ localDate }) => !logged.has(localDate)),
};
