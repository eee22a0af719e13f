import { COURSES } from './courses.fixture';
import { ALL_GONE, RUNNING, type Played } from './played.fixture';

const quiet = (name: string): string => (name.startsWith('probe_ssl') ? '9e9x70' : '0x70');

/** Every series of the courses, and not a single request: nothing may fire, and nothing may divide by zero. */
const ZERO_TRAFFIC: Played = {
  series: Object.fromEntries(
    Object.values(COURSES)
      .flatMap((courses) => Object.values(courses))
      .flatMap(({ series }) => Object.keys(series))
      .map((name) => [name, name.startsWith('up') ? '1x70' : (RUNNING[name] ?? quiet(name))]),
  ),
  at: '65m',
  firing: [],
};

const UNSCRAPED: Played = {
  series: Object.fromEntries(Object.keys(RUNNING).map((series) => [series, '_x70'])),
  at: '70m',
  firing: ALL_GONE,
};
/** Of all rules together. */
export const QUIET = { 'no traffic': ZERO_TRAFFIC, 'nothing is scraped: all pages come': UNSCRAPED };
