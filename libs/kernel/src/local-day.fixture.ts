/** Where clocks changed in 2024: around the world, by half an hour and by two, at midnight, in autumn first, and for a month. */
export const CHANGING_ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'Atlantic/Azores',
  'America/St_Johns',
  'America/Havana',
  'America/Los_Angeles',
  'America/Santiago',
  'Pacific/Easter',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Asia/Gaza',
  'Africa/Cairo',
  'Africa/Casablanca',
] as const;

/** Where they did not: quarters of an hour, and both ends of the day. */
const STEADY_ZONES = ['UTC', 'Asia/Kathmandu', 'Australia/Eucla', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;

export const ZONES: readonly string[] = [...CHANGING_ZONES, ...STEADY_ZONES];
export const DAY_STARTS = [0, 1, 180, 240, 1_439] as const;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A second reading of the rule: the name of the offset, and a comparison of clock times as text. */
export function literalDate(instant: number, zone: string, dayStartMinutes: number): string {
  const { date, time } = onTheWall(instant, zone);
  const dayStart = new Date(dayStartMinutes * MINUTE_MS).toISOString().slice(11, 16);
  return time < dayStart ? dayAfter(date, -1) : date;
}

/** The time in the zone: YYYY-MM-DD and HH:MM. */
export function onTheWall(instant: number, zone: string): { date: string; time: string } {
  const shown = new Date(instant + offsetMs(instant, zone)).toISOString();
  return { date: shown.slice(0, 10), time: shown.slice(11, 16) };
}

export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Every moment at which clocks of the zone show that, none or two when they change. */
export function instantsOf(date: string, time: string, zone: string): number[] {
  const shown = Date.parse(`${date}T${time}Z`);
  const offsets = [-DAY_MS, DAY_MS].map((away) => offsetMs(shown + away, zone));
  return [...new Set(offsets)]
    .map((offset) => shown - offset)
    .filter((instant) => instant + offsetMs(instant, zone) === shown);
}

/** The moments of a year at which clocks of the zone were put forward or back, to the minute. */
export function changesOf(zone: string, year: number): number[] {
  const changes: number[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  for (let day = Date.UTC(year, 0, 1); day < end; day += DAY_MS) {
    let [before, after] = [day, day + DAY_MS];
    const offset = offsetMs(before, zone);
    if (offset === offsetMs(after, zone)) continue;
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetMs(middle, zone) === offset) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** From `GMT+02:00`. */
function offsetMs(instant: number, zone: string): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(instant))!;
  return hours ? (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) : 0;
}
