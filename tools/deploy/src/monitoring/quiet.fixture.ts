import { COURSES, type Played } from './courses.fixture';

const quiet = (name: string): string => (name.startsWith('probe_') ? '9e9x70' : '0x70');

/** Every series of the courses, and not a single request: nothing may fire, and nothing may divide by zero. */
const ZERO_TRAFFIC: Played = {
  series: Object.fromEntries(
    Object.values(COURSES)
      .flatMap((courses) => Object.values(courses))
      .flatMap(({ series }) => Object.keys(series))
      .map((name) => [name, /^(up|evenkeel_relay_active.*"a")/.test(name) ? '1x70' : quiet(name)]),
  ),
  ...{ at: '65m', firing: [] },
};

const UNSCRAPED: Played = { series: {}, at: '70m', firing: [] };
/** Of all rules together. */
export const QUIET = { 'no traffic': ZERO_TRAFFIC, 'nothing is scraped': UNSCRAPED };
