import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '@evenkeel/kernel';
import { analyzeLogs } from '@evenkeel/scoring';
import { allTravels, DAILY, printedTravels, readTravels, WEEKLY, type Travel } from './travels.fixture';

const FILE = readFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), 'utf8');
const travels = readTravels(FILE);

it('every zone is there with both changes and every beginning of the day', () => {
  const changes = new Map<string, Set<number>>();
  for (const { home, change } of travels) changes.set(home, (changes.get(home) ?? new Set()).add(change));
  expect(changes.size).toBeGreaterThanOrEqual(60);
  expect(Math.min(...[...changes.values()].map(({ size }) => size))).toBeGreaterThanOrEqual(2);
  expect(new Set(travels.map(({ dayStartMinutes }) => dayStartMinutes)).size).toBe(5);
  expect(travels.length).toBeGreaterThanOrEqual(600);
});

it('the file is what the second readings of days and of streaks write', () => {
  expect(FILE).toBe(printedTravels());
  expect(travels).toEqual(allTravels());
});

it('the engine gives the same days and streaks', () => {
  const found = travels.map(({ home, change, dayStartMinutes, ...travel }) => {
    const { dates, dayStreaks, weekStreaks } = throughEngine({ home, change, dayStartMinutes, ...travel });
    return { home, change, dayStartMinutes, dates, dayStreaks, weekStreaks };
  });
  expect(found).toEqual(
    travels.map(({ home, change, dayStartMinutes, dates, dayStreaks, weekStreaks }) => {
      return { home, change, dayStartMinutes, dates, dayStreaks, weekStreaks };
    }),
  );
});

it('streaks of all lengths are among them, and travel breaks some that would have held', () => {
  expect(new Set(travels.map(({ dayStreaks }) => dayStreaks[0])).size).toBeGreaterThan(6);
  const atHome = travels.map((travel) => throughEngine({ ...travel, away: travel.home }));
  const changed = travels.filter(({ dayStreaks }, at) => String(atHome[at]!.dayStreaks) !== String(dayStreaks));
  expect(changed.length).toBeGreaterThan(30);
});

function throughEngine({ logs, asOf, dayStartMinutes, ...zones }: Travel) {
  const dateIn = (place: 'home' | 'away', instant: number) =>
    localDate(new Date(instant), zones[place], dayStartMinutes);
  const dates = logs.map(({ place, instant }) => dateIn(place, instant));
  const history = {
    startDate: dates[0]!,
    logs: logs.map(({ status }, at) => ({ localDate: dates[at]!, status })),
  };
  const { habits } = analyzeLogs({
    habits: [
      { ...DAILY, ...history },
      { ...WEEKLY, ...history },
    ],
    ...{ asOf: dateIn(logs.at(-1)!.place, asOf), weekStart: 'MONDAY', windowDays: 90 },
  });
  const [dayStreaks, weekStreaks] = habits.map(({ metrics }) => [metrics.current_streak, metrics.best_streak]);
  return { dates, dayStreaks, weekStreaks };
}
