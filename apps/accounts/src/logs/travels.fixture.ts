import {
  CHANGING_ZONES,
  changesOf,
  DAY_STARTS,
  dayAfter,
  HOUR_MS,
  instantsOf,
  literalDate,
  MINUTE_MS,
  onTheWall,
  ZONES,
} from '../../../../libs/kernel/src/local-day.fixture';
import { literalReading } from '../../../../libs/scoring/src/logs/literal-reading.fixture';
import type { LogStatus } from '@evenkeel/scoring';

/** Logs around a change of the clock, at home and away, with the expected days and streaks. */
export interface Travel {
  home: string;
  away: string;
  /** Of the clocks at home. */
  change: number;
  dayStartMinutes: number;
  logs: readonly TravelLog[];
  /** When streaks are looked at; in the zone of the last log. */
  asOf: number;
  /** Local dates of the logs. */
  dates: readonly string[];
  /** Current and best, of every day and of three times a week. */
  dayStreaks: readonly [number, number];
  weekStreaks: readonly [number, number];
}

export interface TravelLog {
  instant: number;
  place: 'home' | 'away';
  status: LogStatus;
}

export const DAILY = { name: 'Daily', targetDaysMask: 127 } as const;
export const WEEKLY = { name: 'Weekly', targetPerWeek: 3, targetDaysMask: 0 } as const;

const YEAR = 2024;
const TIMES = ['00:00', '00:30', '01:59', '02:30', '03:00', '07:00', '12:00', '23:59'] as const;
/** Days from the change on which somebody is away: after it, over it, from it on, never. */
const AWAY = [
  [1, 3],
  [-2, 2],
  [0, 9],
  [9, 9],
] as const;
const DAYS_AROUND = 8;
const ON_THE_WAY_MS = 10 * HOUR_MS;
/** How long after the last log somebody looks. */
const LOOKS_AFTER_MS = [0, 9 * HOUR_MS, 26 * HOUR_MS] as const;
const STATUSES = { d: 'COMPLETED', p: 'PARTIAL', s: 'SKIPPED' } as const;
const HEADER = 'home,away,change,day_start,logs,as_of,dates,current_days,best_days,current_weeks,best_weeks';

/** Every changing zone, both changes, every beginning of the day; the rest takes turns. */
export function allTravels(): Travel[] {
  const changes = CHANGING_ZONES.flatMap((home) => changesOf(home, YEAR).map((change) => ({ home, change })));
  return changes.flatMap(({ home, change }, at) =>
    DAY_STARTS.map((dayStartMinutes, by) => {
      const turn = at * DAY_STARTS.length + by;
      const away = ZONES.filter((zone) => zone !== home)[(turn * 7) % (ZONES.length - 1)]!;
      return travelOf({ home, away, change, dayStartMinutes }, turn);
    }),
  );
}

function travelOf(where: Pick<Travel, 'home' | 'away' | 'change' | 'dayStartMinutes'>, turn: number): Travel {
  const { home, dayStartMinutes, change } = where;
  const zoneOf = ({ place }: TravelLog) => where[place];
  const logs: TravelLog[] = [];
  const [from, to] = AWAY[turn % AWAY.length]!;
  for (let day = -DAYS_AROUND; day <= DAYS_AROUND; day++) {
    // One day is left out, before or after the change.
    if (day === (turn % 11) - 5) continue;
    const place = day >= from && day <= to ? 'away' : 'home';
    const date = dayAfter(onTheWall(change, home).date, day);
    for (const instant of instantsOf(date, TIMES[turn % TIMES.length]!, where[place])) {
      const before = logs.at(-1);
      const earliest = before ? before.instant + (before.place === place ? 1 : ON_THE_WAY_MS) : -Infinity;
      if (instant >= earliest) logs.push({ instant, place, status: statusOf(turn + day) });
    }
  }
  const last = logs.at(-1)!;
  const asOf = last.instant + LOOKS_AFTER_MS[turn % LOOKS_AFTER_MS.length]!;
  const dates = logs.map((log) => literalDate(log.instant, zoneOf(log), dayStartMinutes));
  const today = literalDate(asOf, zoneOf(last), dayStartMinutes);
  const read = (terms: typeof DAILY | typeof WEEKLY): [number, number] => {
    const dated = logs.map(({ status }, i) => ({ localDate: dates[i]!, status }));
    const literal = literalReading({ ...terms, startDate: dates[0], logs: dated }, today, 90, 'MONDAY');
    return [literal.current_streak, literal.best_streak];
  };
  return { ...where, logs, asOf, dates, dayStreaks: read(DAILY), weekStreaks: read(WEEKLY) };
}

function statusOf(turn: number): LogStatus {
  if (turn % 13 === 0) return 'SKIPPED';
  return turn % 7 === 0 ? 'PARTIAL' : 'COMPLETED';
}

/** The file of travels: logs as minutes from the change, with the first letters of place and of d, p, s for their status. */
export function printedTravels(): string {
  const letterOf = (status: LogStatus) => Object.entries(STATUSES).find(([, named]) => named === status)![0];
  const minutes = (ms: number) => String(ms / MINUTE_MS);
  const lines = allTravels().map(({ home, away, change, dayStartMinutes, logs, asOf, dates, ...streaks }) =>
    [
      home,
      away,
      new Date(change).toISOString(),
      dayStartMinutes,
      logs.map(({ instant, place, status }) => minutes(instant - change) + place[0]! + letterOf(status)).join(' '),
      minutes(asOf - change),
      dates.map((date) => date.slice(5)).join(' '),
      ...streaks.dayStreaks,
      ...streaks.weekStreaks,
    ].join(','),
  );
  return `${HEADER}\n${lines.join('\n')}\n`;
}

/** The travels of such a file. */
export function readTravels(file: string): Travel[] {
  const [header, ...lines] = file.trimEnd().split('\n');
  if (header !== HEADER) throw new Error(`the first line is ${header}`);
  return lines.map((line) => {
    const [home, away, changed, dayStart, logs, asOf, dates, ...streaks] = line.split(',') as [string, ...string[]];
    const change = Date.parse(changed!);
    const instantOf = (written: string) => change + Number(written) * MINUTE_MS;
    const counts = streaks.map(Number) as [number, number, number, number];
    return {
      home,
      away: away!,
      change,
      dayStartMinutes: Number(dayStart),
      asOf: instantOf(asOf!),
      logs: logs!.split(' ').map((log) => ({
        instant: instantOf(log.slice(0, -2)),
        place: log.at(-2) === 'a' ? 'away' : 'home',
        status: STATUSES[log.at(-1) as keyof typeof STATUSES],
      })),
      dates: dates!.split(' ').map((date) => `${YEAR}-${date}`),
      dayStreaks: [counts[0], counts[1]],
      weekStreaks: [counts[2], counts[3]],
    };
  });
}
