import { changesOf, DAY_STARTS, HOUR_MS, literalDate, ZONES } from './local-day.fixture';

const HOURS_FROM_CHANGE = [-24, -1 / 60, 0, 1, 3, 24];
/** For zones without a change. */
const NEW_YEAR = Date.UTC(2024, 0, 1);

/** The file of local dates, by the second reading of the rule. */
export function localDayVectors(): string {
  const lines = ZONES.flatMap((zone) => {
    const changes = changesOf(zone, 2024);
    return (changes.length > 0 ? changes : [NEW_YEAR]).flatMap((change) =>
      HOURS_FROM_CHANGE.map((hours) => {
        const instant = change + hours * HOUR_MS;
        const dates = DAY_STARTS.map((minutes) => literalDate(instant, zone, minutes));
        return [zone, new Date(instant).toISOString(), ...dates].join(',');
      }),
    );
  });
  return `${['zone', 'instant', ...DAY_STARTS].join(',')}\n${lines.join('\n')}\n`;
}
