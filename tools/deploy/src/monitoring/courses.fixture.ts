import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_NAMES } from '@evenkeel/contracts';
import { parse } from 'yaml';
import { BUDGETS } from './budgets.fixture';

/** Series, with their values from minute to minute; when to look, and the alerts that must then be there, and nothing else. */
export interface Course {
  series: Record<string, string>;
  at: string;
  fires?: string | readonly string[];
  /** Days of minutes would take a minute to play: rules are evaluated so often. Default: every minute. */
  every?: string;
}

const HALVES = APP_NAMES.flatMap((app) => [`${app}-http-internal`, `${app}-worker-internal`]);
const RELAYING = ['agent-gateway', 'accounts', 'billing'];

/** The series while everything runs. A course states the differences. */
export const RUNNING: readonly string[] = [
  ...HALVES.map((job) => `up{job="${job}",instance="a"}`),
  ...RELAYING.map((service) => `evenkeel_relay_active{service="${service}",instance="a"}`),
  'probe_success{job="edge",instance="edge"}',
];

export const COURSES: Readonly<Record<string, Readonly<Record<string, Course>>>> = {
  'budgets.yaml': BUDGETS,
  ...(parse(readFileSync(join(__dirname, 'courses.yaml'), 'utf8')) as Record<string, Record<string, Course>>),
};

const ofAll = (names: readonly string[], values: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [name, values(name)]));

/** Of all rules together: nothing may fire, and nothing may divide by zero, when nobody sends a request; and all pages come. */
export const TOGETHER: Readonly<Record<string, Course>> = {
  'no traffic': {
    series: ofAll(
      Object.values(COURSES).flatMap((courses) => Object.values(courses).flatMap(({ series }) => Object.keys(series))),
      (name) =>
        RUNNING.includes(name) || name.startsWith('up') ? '1x70' : name.startsWith('probe_ssl') ? '9e9x70' : '0x70',
    ),
    at: '65m',
  },
  'every process and the edge have gone': {
    series: ofAll(RUNNING, () => '1x5 stale'),
    at: '70m',
    fires: [
      ...HALVES.map((job) => `page ServiceMissing{job="${job}"} No process of ${job} is known to Prometheus.`),
      ...RELAYING.map((service) => `page RelayMissing{service="${service}"} No worker of ${service} publishes events.`),
      'page EdgeUnreachable{job="edge"} The edge does not answer as clients ask it, or nobody asks.',
    ],
  },
};
