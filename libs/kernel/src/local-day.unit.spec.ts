import fc from 'fast-check';
import { instantOfLocalNoon, isTimeZone, localDate } from './local-day';
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
} from './local-day.fixture';

describe('localDate', () => {
  it('agrees with a second reading of the rule around every change of the clock and every beginning of a day', () => {
    for (const zone of CHANGING_ZONES) {
      const changes = [...changesOf(zone, 2024), ...changesOf(zone, 2025)];
      expect(changes.length).toBeGreaterThanOrEqual(4);
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

  it('agrees with it at any moment in any zone', () => {
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

  it('is right when more zones are asked for than are kept', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    expect(zones.length).toBeGreaterThan(256);
    const noon = Date.UTC(2024, 0, 1, 12);
    const dates = () => zones.map((zone) => localDate(new Date(noon), zone, 0));
    expect([dates(), dates()]).toEqual(Array(2).fill(zones.map((zone) => literalDate(noon, zone, 0))));
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
    const noons = ['2011-12-29', '2011-12-30', '2011-12-31'].map((date) => instantOfLocalNoon(date, 'Pacific/Apia'));
    const days = ['29', '30', '30'].map((day) => new Date(`2011-12-${day}T22:00:00Z`));
    expect(noons).toEqual(days);
  });

  it.each([
    ...['2024-02-30', '2024-2-3', '2024-02-03T00', '', '+010000-01-01'].map((date) => [date, 'UTC']),
    ['2024-02-03', 'Europe/Atlantis'],
  ])('refuses "%s" in %s', (date, zone) => expect(() => instantOfLocalNoon(date, zone)).toThrow(RangeError));
});

describe('isTimeZone', () => {
  it('knows every zone that Intl offers, and its other names', () => {
    const others = ['Etc/GMT+5', 'Asia/Calcutta', 'GMT', 'CET', 'EST5EDT', 'US/Pacific', 'europe/berlin'];
    const zones = [...Intl.supportedValuesOf('timeZone'), ...others];
    expect(zones.filter((zone) => !isTimeZone(zone))).toEqual([]);
  });

  it.each([
    '',
    '+02:00',
    '-0500',
    'UTC+2',
    'local',
    '__proto__',
    'Etc/Unknown',
    'Europe/Atlantis',
    ' Europe/Berlin',
    'Europe/Berlin\n',
    `Europe/${'B'.repeat(100_000)}`,
  ])('refuses %j', (text) => expect(isTimeZone(text)).toBe(false));
});
