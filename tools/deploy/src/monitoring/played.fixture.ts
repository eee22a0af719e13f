import { APP_NAMES } from '@evenkeel/contracts';

/** An alert that fires, all of it. */
export interface Fired {
  alert: string;
  severity: 'page' | 'ticket';
  /** Labels beside the severity. */
  labels: Record<string, string>;
  summary: string;
}

/** Series, with their values from minute to minute; when to look, and the alerts that must then be there. */
export interface Played {
  series: Record<string, string>;
  at: string;
  /** Nothing else may be there. */
  firing: readonly Fired[];
  /** Days of minutes would take a minute to play: rules are evaluated so often. Default: every minute. */
  every?: string;
}

export const page = (alert: string, labels: Fired['labels'], summary: string): Fired[] => [
  { alert, severity: 'page', labels, summary },
];
export const ticket = (alert: string, labels: Fired['labels'], summary: string): Fired[] => [
  { alert, severity: 'ticket', labels, summary },
];

export const relay = (instance: string, service = 'billing') =>
  `evenkeel_relay_active{service="${service}",instance="${instance}"}`;

export const up = (job: string) => `up{job="${job}-internal",instance="a"}`;
const RELAYING = ['agent-gateway', 'accounts', 'billing'];
const HALVES = APP_NAMES.flatMap((app) => [`${app}-http`, `${app}-worker`]);
export const PROBE = 'probe_success{job="edge",instance="edge"}';
export const UNREACHABLE = page(
  'EdgeUnreachable',
  { job: 'edge' },
  'The edge does not answer as clients ask it, or nobody asks.',
);
export const [PROBED] = page(
  'EdgeUnreachable',
  { job: 'edge', instance: 'edge' },
  'The edge does not answer as clients ask it, or nobody asks.',
);

/** The series while everything runs. A course states the differences. */
export const RUNNING: Readonly<Record<string, string>> = Object.fromEntries([
  ...HALVES.map((half) => [up(half), '1x3000']),
  ...RELAYING.map((service) => [relay('a', service), '1x3000']),
  [PROBE, '1x3000'],
]);

/** Everything that is away when the namespace is gone: each of the eight halves, each relay, and the edge. */
export const ALL_GONE: readonly Fired[] = [
  ...HALVES.flatMap((half) =>
    page('ServiceMissing', { job: `${half}-internal` }, `No process of ${half}-internal is known to Prometheus.`),
  ),
  ...RELAYING.flatMap((service) => page('RelayMissing', { service }, `No worker of ${service} publishes events.`)),
  ...UNREACHABLE,
];
