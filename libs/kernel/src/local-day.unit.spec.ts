import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instantOfLocalNoon, isTimeZone, localDate } from './local-day';
import { localDayVectors } from './local-day-vectors.fixture';
import {
  CHANGING_ZONES,
  changesOf,
  DAY_MS,
  DAY_STARTS,
  dayAfter,
  HOUR_MS,
  instantsOf,
  literalDate,
  MINUTE_MS,
  onTheWall,
  ZONES,
} from './local-day.fixture';

const VECTORS = readFileSync(join(__dirname, '../vectors/local-days.csv'), 'utf8');

describe('localDate', () => {
  it('gives the dates of the vectors, which the second reading wrote', () => {
    const [header, ...lines] = VECTORS.trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const dayStarts = header!.slice(2).map(Number);
    expect(lines.length).toBeGreaterThan(720);
    for (const [zone, instant, ...dates] of lines) {
      const found = dayStarts.map((minutes) => localDate(new Date(instant!), zone!, minutes));
      expect([zone, instant, ...found]).toEqual([zone, instant, ...dates]);
    }
    expect(VECTORS).toBe(localDayVectors());
  });

  it('agrees with the second reading around every change of the clock and every beginning of a day', () => {
    for (const zone of CHANGING_ZONES) {
      const changes = changesOf(zone, 2025);
      expect(changes.length).toBeGreaterThanOrEqual(2);
      for (const dayStart of DAY_STARTS) {
        const begins = new Date(dayStart * MINUTE_MS).toISOString().slice(11, 16);
        const days = changes.map((change) => onTheWall(change, zone).date);
        const around = [...changes, ...days.flatMap((date) => instantsOf(date, begins, zone))];
        for (const instant of around.flatMap((at) => [-HOUR_MS, -1, 0, 30 * MINUTE_MS].map((ms) => at + ms))) {
          const found = localDate(new Date(instant), zone, dayStart);
          if (found !== literalDate(instant, zone, dayStart)) expect([zone, instant, dayStart]).toBe(found);
        }
      }
    }
  });

  it('agrees with the second reading at any moment in any zone', () => {
    const aMoment = fc.record({
      instant: fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 11, 31) }),
      zone: fc.constantFrom(...ZONES),
      dayStart: fc.oneof(fc.constantFrom(...DAY_STARTS), fc.integer({ min: 0, max: 1_439 })),
    });
    fc.assert(
      fc.property(aMoment, ({ instant, zone, dayStart }) => {
        return localDate(new Date(instant), zone, dayStart) === literalDate(instant, zone, dayStart);
      }),
      { numRuns: sized(2_000, 20_000) },
    );
  });

  it('refuses what is no moment and what is no zone', () => {
    expect(() => localDate(new Date(NaN), 'UTC', 0)).toThrow(RangeError);
    expect(() => localDate(new Date(0), 'Mars/Olympus', 0)).toThrow(RangeError);
  });
});

describe('instantOfLocalNoon', () => {
  it('is when clocks of the zone show noon of that date, on days of a change too', () => {
    for (const zone of ZONES) {
      const days = [...changesOf(zone, 2024).map((change) => onTheWall(change, zone).date), '2024-02-29', '2100-03-01'];
      for (const date of days.flatMap((day) => [dayAfter(day, -1), day, dayAfter(day, 1)])) {
        const noon = instantOfLocalNoon(date, zone);
        expect({ zone, ...onTheWall(noon.getTime(), zone) }).toEqual({ zone, date, time: '12:00' });
        expect(localDate(noon, zone, 720)).toBe(date);
      }
    }
  });

  it('goes by the clocks before where a noon was left out', () => {
    expect(instantOfLocalNoon('2011-12-29', 'Pacific/Apia').toISOString()).toBe('2011-12-29T22:00:00.000Z');
    expect(instantOfLocalNoon('2011-12-30', 'Pacific/Apia').toISOString()).toBe('2011-12-30T22:00:00.000Z');
    expect(instantOfLocalNoon('2011-12-31', 'Pacific/Apia').toISOString()).toBe('2011-12-30T22:00:00.000Z');
  });

  it.each(['2024-02-30', '2024-2-3', '2024-02-03T00', '', '+010000-01-01'])('refuses "%s"', (date) => {
    expect(() => instantOfLocalNoon(date, 'UTC')).toThrow(RangeError);
  });

  it('refuses what is no zone', () => {
    expect(() => instantOfLocalNoon('2024-02-03', 'Europe/Atlantis')).toThrow(RangeError);
  });
});

describe('isTimeZone', () => {
  it.each([
    ...['UTC', 'Etc/UTC', 'Etc/GMT+5', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev'],
    ...[
      'America/Argentina/Buenos_Aires',
      'America/Port-au-Prince',
      'Africa/Dar_es_Salaam',
      'Antarctica/DumontDUrville',
    ],
    ...['GMT', 'CET', 'EST', 'EST5EDT', 'US/Pacific', 'Zulu', 'europe/berlin', 'Etc/Utc'],
  ])('knows %s, as Intl does', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  });

  it('knows every zone that Intl offers', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((zone) => !isTimeZone(zone))).toEqual([]);
  });

  it.each([
    ...['', ' ', '+02:00', '-0500', '+02', 'Z', 'GMT+2', 'UTC+2', 'local'],
    ...[
      'Europe/Berlin ',
      ' Europe/Berlin',
      'Europe/Berlin\n',
      'Europe/',
      '/Berlin',
      'Europe//Berlin',
      'Europe/Atlantis',
    ],
    ...[
      '../etc/passwd',
      'Europe/Berlin\0',
      'Éurope/Berlin',
      `Europe/${'B'.repeat(100_000)}`,
      'Etc/Unknown',
      '__proto__',
    ],
  ])('refuses %j', (text) => {
    expect(isTimeZone(text)).toBe(false);
  });

  it('keeps answering right when more zones are asked for than are kept', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    expect(zones.length).toBeGreaterThan(256);
    const [noon, dates] = [DAY_MS / 2, () => zones.map((zone) => localDate(new Date(noon), zone, 0))];
    expect(dates()).toEqual(dates());
    expect(localDate(new Date(noon), 'Pacific/Kiritimati', 0)).toBe(literalDate(noon, 'Pacific/Kiritimati', 0));
  });
});
