/** Formats are large: so many are kept, which is more zones than people of one service live in at a time. */
const KEPT_FORMATS = 256;
const formats = new Map<string, Intl.DateTimeFormat>();

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * The date a person would write beside something done at that moment, when the day begins at a time of their own: the
 * wall clock of the zone is read first, then `dayStartMinutes` are taken off that reading. So a day begins at the same
 * time by the clock on the wall all year: taken off the instant, days around a change of the clock would begin an hour
 * off. A wall time that comes twice, when clocks go back, is read by what the clock shows.
 * @param instant from the year 1 to 9999 in the zone
 * @param zone a name that `isTimeZone` accepts
 * @param dayStartMinutes 0 to 1,439; 180 puts everything before three in the morning on the day before
 * @returns YYYY-MM-DD
 * @throws RangeError for an invalid date, or a zone that Intl does not know
 */
export function localDate(instant: Date, zone: string, dayStartMinutes: number): string {
  return new Date(wallTime(instant, zone) - dayStartMinutes * MINUTE_MS).toISOString().slice(0, 10);
}

/**
 * Noon of a calendar date in a zone: a moment of a day of which nothing but the date is known. Its `localDate` is that date
 * while the day begins at noon at the latest.
 * @param date YYYY-MM-DD
 * @param zone a name that `isTimeZone` accepts
 * @returns where clocks went past that noon, as when Samoa left out a day: noon by the clocks before
 * @throws RangeError when there is no such date, or Intl does not know the zone
 */
export function instantOfLocalNoon(date: string, zone: string): Date {
  const noon = Date.parse(`${date}T12:00:00Z`);
  if (Number.isNaN(noon) || new Date(noon).toISOString().slice(0, 10) !== date) {
    throw new RangeError('not a date of the form YYYY-MM-DD');
  }
  const aheadBy = (instant: number) => wallTime(new Date(instant), zone) - instant;
  // Offsets are less than a day: that of noon is that of a day before it or of a day after it.
  const before = noon - aheadBy(noon - DAY_MS);
  if (before + aheadBy(before) === noon) return new Date(before);
  const after = noon - aheadBy(noon + DAY_MS);
  return new Date(after + aheadBy(after) === noon ? after : before);
}

/**
 * The wall time of a zone, as if it were UTC.
 * @returns milliseconds since 1970-01-01, whole minutes
 */
function wallTime(instant: Date, zone: string): number {
  // Less than half of the time of `formatToParts`: an import brings a hundred thousand days at once.
  const shown = formatOf(zone).format(instant).match(/\d+/g)!;
  const [month, day, year, hour, minute] = shown.map(Number) as [number, number, number, number, number];
  // Date.UTC would take the years 1 to 99 for those of the twentieth century.
  return new Date(Date.UTC(2000, month - 1, day, hour, minute)).setUTCFullYear(year, month - 1, day);
}

/** @throws RangeError when Intl does not know the zone */
function formatOf(zone: string): Intl.DateTimeFormat {
  const kept = formats.get(zone);
  if (kept) return kept;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    ...({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const),
  });
  if (formats.size >= KEPT_FORMATS) formats.delete(formats.keys().next().value!);
  formats.set(zone, format);
  return format;
}

/** The longest name of the IANA database has 32 characters. */
const LONGEST_NAME = 64;

/**
 * Whether a text names a time zone: every name that Intl takes, in any spelling that it takes: `Europe/Kyiv`, `US/Pacific`,
 * `CET`, `GMT`. An offset is refused, whatever a version of Intl makes of it: it knows nothing of summer.
 */
export function isTimeZone(text: string): boolean {
  if (text.length > LONGEST_NAME || /^[+-]/.test(text)) return false;
  try {
    return formatOf(text) !== undefined;
  } catch {
    return false;
  }
}
