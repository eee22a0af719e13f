import type { BillingTiming } from './billing/billing.bench';
import type { EngineTiming } from './engine.bench';
import type { BodyTiming } from './bodies/bodies.bench';
import type { Comparison, Row } from './compare/compare';
import { ALONE, COUNTED, OURS, type Path, TRACED, WHOLE, WITHOUT_LEDGER } from './compare/stage';
import type { StartTiming } from './processes/processes.bench';
import type { RelayTiming } from './relay/relay.bench';
import type { ReportingTiming } from './reporting/reporting.bench';

export interface GoalResult {
  goal: string;
  measured: number;
  /** What must not be missed. */
  floor: number;
  /** What we want; equal to the floor where there is no difference. */
  target: number;
  better: 'higher' | 'lower';
  verdict: 'target met' | 'floor met' | 'missed';
}

interface Goal {
  path: Path;
  habits: number;
  says: string;
  /** Null where it cannot be measured here. */
  of: (ours: Row, rows: readonly Row[]) => number | null;
  floor: number;
  target: number;
  better: 'higher' | 'lower';
}

const rowOf = (rows: readonly Row[], name: string): Row => rows.find(({ variant }) => variant === name)!;
const rate = (row: Row): number => row.rateRatio;
const sellerCpu = (row: Row): number => row.cpuRatio;

/** In PostgreSQL and in the seller. */
const addedByLedger = ({ postgresCpuMs, sellerCpuMs }: Row, rows: readonly Row[]): number | null =>
  postgresCpuMs && postgresCpuMs + sellerCpuMs - rowOf(rows, WITHOUT_LEDGER).sellerCpuMs;

/** By relay, inbox and projection, in their process and in PostgreSQL, beside what the gateway takes alone. */
const behindAnAnswer = (_ours: Row, rows: readonly Row[]): number | null => {
  const [whole, gateway] = [rowOf(rows, WHOLE), rowOf(rows, ALONE)];
  if (!whole.postgresCpuMs || !gateway.postgresCpuMs) return null;
  return whole.sellerCpuMs + whole.postgresCpuMs - (gateway.sellerCpuMs + gateway.postgresCpuMs);
};

/** Of the CPU of a call, that one variant adds to another. */
const added = (rows: readonly Row[], variant: string, to: number): number => to / rowOf(rows, variant).cpuRatio - 1;

const observability = (says: string, of: Goal['of'], most: number): Goal => ({
  ...{ path: 'observability', habits: 1, says, of, floor: most, target: most, better: 'lower' },
});

const challenge = (habits: number, express: number): Goal[] => [
  {
    path: 'challenge',
    habits,
    says: 'rate / @x402/express',
    of: rate,
    floor: express,
    target: express,
    better: 'higher',
  },
];
const paid = (habits: number, rates: [floor: number, target: number], cpu: [floor: number, target: number]): Goal[] => [
  { path: 'paid', habits, says: 'rate / @x402/express', of: rate, floor: rates[0], target: rates[1], better: 'higher' },
  {
    path: 'paid',
    habits,
    says: '@x402/express CPU / CPU',
    of: sellerCpu,
    floor: cpu[0],
    target: cpu[1],
    better: 'higher',
  },
];

const GOALS: readonly Goal[] = [
  ...challenge(1, 4),
  ...challenge(25, 3.3),
  ...paid(1, [1.8, 2], [2.8, 3]),
  {
    path: 'paid',
    habits: 1,
    says: 'CPU with PostgreSQL / @x402/express CPU',
    of: ({ totalCpuRatio }) => totalCpuRatio,
    floor: 0.6,
    target: 0.6,
    better: 'lower',
  },
  {
    path: 'paid',
    habits: 1,
    says: 'CPU ms that the ledger adds to a call',
    of: addedByLedger,
    floor: 1,
    target: 1,
    better: 'lower',
  },
  {
    path: 'paid',
    habits: 1,
    says: 'fsyncs a call',
    of: ({ fsyncs }) => fsyncs,
    floor: 0.5,
    target: 0.5,
    better: 'lower',
  },
  ...paid(25, [1.4, 1.5], [2.2, 2.4]),
  {
    path: 'whole',
    habits: 1,
    says: 'rate of the whole product / @x402/express',
    of: (_ours, rows) => rowOf(rows, WHOLE).rateRatio,
    floor: 1.6,
    target: 1.6,
    better: 'higher',
  },
  {
    path: 'whole',
    habits: 1,
    says: 'CPU ms behind the answer',
    of: behindAnAnswer,
    floor: 0.3,
    target: 0.3,
    better: 'lower',
  },
  {
    path: 'whole',
    habits: 25,
    says: '@x402/express CPU / CPU of the gateway',
    of: (_ours, rows) => rowOf(rows, ALONE).cpuRatio,
    floor: 2.2,
    target: 2.2,
    better: 'higher',
  },
  observability('CPU that counting adds', (_ours, rows) => added(rows, COUNTED, 1), 0.02),
  observability('CPU that traces of 1 % add', (ours, rows) => added(rows, TRACED, ours.cpuRatio), 0.05),
];

/** Which goals of these comparisons are met. */
export function checkComparison({ path, habits, rows }: Comparison): GoalResult[] {
  const ours = rowOf(rows, OURS);
  return GOALS.filter((goal) => goal.path === path && goal.habits === habits).flatMap((goal) => {
    const measured = goal.of(ours, rows);
    const { says, floor, target, better } = goal;
    return measured === null
      ? []
      : [withVerdict({ goal: `${path}, ${habitCount(habits)}: ${says}`, measured, floor, target, better })];
  });
}

/** What JSON alone takes on the machine on which the goals of the engine were set. */
export const DESIGN_JSON_NS = 34_000;

export function checkEngine(figures: readonly EngineTiming[]): GoalResult[] {
  return figures.flatMap(({ name, nsPerOp, jsonRatio, goalNs }) => {
    if (goalNs === null) return [];
    const share = goalNs / DESIGN_JSON_NS;
    return [
      withVerdict({ goal: `${name}: ns`, measured: nsPerOp, floor: goalNs, target: goalNs, better: 'lower' }),
      withVerdict({ goal: `${name}: x JSON alone`, measured: jsonRatio, floor: share, target: share, better: 'lower' }),
    ];
  });
}

/** What validating a body may add to `JSON.parse`: the sender of a bad one pays nothing. */
const BODY_MS = 4;

export function checkBodies(timings: readonly BodyTiming[]): GoalResult[] {
  if (timings.length === 0) return [];
  const measured = Math.max(...timings.map(({ ms, jsonMs }) => ms - jsonMs));
  return [
    withVerdict({
      goal: 'the worst body under the cap: ms more than JSON.parse',
      measured,
      floor: BODY_MS,
      target: BODY_MS,
      better: 'lower',
    }),
  ];
}

/** Two cores carry this many, broker and database on them too. */
const RELAY_EVENTS_PER_SECOND = 5_000;

export function checkRelay({ eventsPerSecond: measured }: RelayTiming): GoalResult[] {
  const floor = RELAY_EVENTS_PER_SECOND;
  return [withVerdict({ goal: 'relay and consumer: events/s', measured, floor, target: floor, better: 'higher' })];
}

/** A read may not notice how many payments there are. */
const READ_P99_RATIO = 2;
const INGESTED_PER_SECOND = 5_000;
const SUBSCRIPTION_EVENTS_PER_SECOND = 2_000;

export function checkReporting(timing: ReportingTiming): GoalResult[] {
  const { reads, ingest, subscriptionEventsPerSecond } = timing;
  const results = reads.map(({ read, p99Ratio: measured }) => {
    const what = read.startsWith('subscriptions') ? 'subscriptions' : 'payments';
    const [small, large] = timing[what];
    const goal = `${read}: p99 at ${large} / ${small} ${what}`;
    return withVerdict({ goal, measured, floor: READ_P99_RATIO, target: READ_P99_RATIO, better: 'lower' });
  });
  const ingests: [goal: string, measured: number, floor: number][] = [
    ['projection: events/s', ingest.eventsPerSecond, INGESTED_PER_SECOND],
    ['projection of subscriptions: events/s', subscriptionEventsPerSecond, SUBSCRIPTION_EVENTS_PER_SECOND],
  ];
  return [
    ...results,
    ...ingests.map(([goal, measured, floor]) =>
      withVerdict({ goal, measured, floor, target: floor, better: 'higher' }),
    ),
  ];
}

/** What is asked of a figure: its floor, its target, and which side of them is good; a figure that is null was not measured. */
type Asked = [goal: string, measured: number | null, floor: number, target: number, better: 'higher' | 'lower'];

export function checkBilling(timing: BillingTiming): GoalResult[] {
  return verdicts('billing', [
    ['webhooks a second', timing.webhooksPerSecond, 300, 300, 'higher'],
    ['webhook: p99 ms', timing.webhookP99Ms, 100, 100, 'lower'],
    ['webhooks / bare inserts of event and outbox row', timing.webhookRatio, 0.1, 0.1, 'higher'],
    ['webhook with 400 stored events / with 5', timing.storedEventsRatio, 1.5, 1.5, 'lower'],
    ['late webhook with 400 stored events / with 5', timing.lateEventsRatio, 1.5, 1.5, 'lower'],
    ['GET /v1/billing/me / fastify echo', timing.meRatio, 0.3, 0.3, 'higher'],
    ['from a webhook to the tier at accounts: median ms', timing.accessMs, 200, 200, 'lower'],
    ['start: s', timing.startSeconds, 2, 2, 'lower'],
    ['resident after 100,000 webhooks: MB', timing.soakedMb, 150, 150, 'lower'],
  ]);
}

/** Seconds and megabytes of a start, of a service from `dist` unless it is named here. */
const START_GOALS = { startSeconds: 2, residentMb: 120 };
const START_GOALS_OF: Readonly<Record<string, typeof START_GOALS>> = {
  'standalone, from dist': { startSeconds: 2, residentMb: 300 },
  'npm start, from source': { startSeconds: 4, residentMb: 300 },
};

export function checkProcesses(timings: readonly StartTiming[]): GoalResult[] {
  return timings.flatMap(({ program, startSeconds, residentMb }) => {
    const goal = START_GOALS_OF[program] ?? START_GOALS;
    return verdicts(program, [
      ['start: s', startSeconds, goal.startSeconds, goal.startSeconds, 'lower'],
      ['resident after the start: MB', residentMb, goal.residentMb, goal.residentMb, 'lower'],
    ]);
  });
}

export function verdicts(service: string, asked: readonly Asked[]): GoalResult[] {
  return asked.flatMap(([goal, measured, floor, target, better]) =>
    measured === null ? [] : [withVerdict({ goal: `${service}: ${goal}`, measured, floor, target, better })],
  );
}

export function habitCount(habits: number): string {
  return habits === 1 ? '1 habit' : `${habits} habits`;
}

function withVerdict(result: Omit<GoalResult, 'verdict'>): GoalResult {
  const { measured, floor, target, better } = result;
  const reaches = (limit: number): boolean => (better === 'higher' ? measured >= limit : measured <= limit);
  return { ...result, verdict: reaches(target) ? 'target met' : reaches(floor) ? 'floor met' : 'missed' };
}
