import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountsTiming } from '../accounts/accounts.bench';
import type { BillingTiming } from '../billing/billing.bench';
import type { BodyTiming } from '../bodies/bodies.bench';
import type { Comparison, Row } from '../compare/compare';
import type { EngineTiming } from '../engine.bench';
import { DESIGN_JSON_NS, type GoalResult, habitCount } from '../goals';
import type { Machine } from '../machine';
import type { StartTiming } from '../processes/processes.bench';
import type { RelayTiming } from '../relay/relay.bench';
import type { ReportingTiming } from '../reporting/reporting.bench';

const COLUMNS: readonly [title: string, value: (row: Row) => string][] = [
  ['req/s', ({ rate }) => rate.toFixed(0)],
  ['x rate', ({ rateRatio }) => rateRatio.toFixed(2)],
  ['p50 ms', ({ p50Ms }) => p50Ms.toFixed(1)],
  ['p99 ms', ({ p99Ms }) => p99Ms.toFixed(1)],
  ['seller CPU ms', ({ sellerCpuMs }) => sellerCpuMs.toFixed(3)],
  ['x CPU', ({ cpuRatio }) => cpuRatio.toFixed(2)],
  ['PG CPU ms', ({ postgresCpuMs }) => postgresCpuMs?.toFixed(3) ?? '-'],
  ['fsyncs', ({ fsyncs }) => fsyncs?.toFixed(2) ?? '-'],
];

interface Report {
  measuredAt: string;
  machine: Machine;
  rounds: number;
  seconds: number;
  engine: EngineTiming[];
  bodies: BodyTiming[];
  comparisons: Comparison[];
  /** Null when it was left out. */
  relay: RelayTiming | null;
  /** The same. */
  reporting: ReportingTiming | null;
  accounts: AccountsTiming | null;
  billing: BillingTiming | null;
  processes: readonly StartTiming[];
  goals: GoalResult[];
}

const FOLDER = join(__dirname, '../../out');

export function comparisonTable({ path, habits, rows }: Comparison): string {
  const lines = rows.map((row) => [row.variant, ...COLUMNS.map(([, value]) => value(row))]);
  return table([`${path}, ${habitCount(habits)}`, ...COLUMNS.map(([title]) => title)], lines);
}

export function engineTable(figures: readonly EngineTiming[]): string {
  const lines = figures.map(({ name, nsPerOp, goalNs, jsonRatio }) => [
    name,
    nsPerOp.toFixed(0),
    goalNs?.toFixed(0) ?? '-',
    jsonRatio.toPrecision(2),
    goalNs ? (goalNs / DESIGN_JSON_NS).toPrecision(2) : '-',
  ]);
  return table(['engine', 'ns', 'goal ns', 'x JSON', 'goal x JSON'], lines);
}

export function bodiesTable(timings: readonly BodyTiming[]): string {
  const lines = timings.map(({ name, bytes, ms, jsonMs, jsonRatio }) => [
    name,
    String(bytes),
    ms.toFixed(2),
    jsonMs.toFixed(2),
    jsonRatio.toPrecision(2),
  ]);
  return table(['bodies', 'bytes', 'ms', 'JSON.parse ms', 'x JSON.parse'], lines);
}

export function relayTable(timing: RelayTiming): string {
  const { events, eventsPerSecond, bareEventsPerSecond, ratio, relayCpuUs, readerCpuUs } = timing;
  const figures = [eventsPerSecond, bareEventsPerSecond].map((figure) => figure.toFixed(0));
  const titles = [`relay, ${events} events`, 'events/s', 'kafkajs alone', 'ratio', 'relay CPU us', 'reader CPU us'];
  return table(titles, [
    ['outbox to inbox', ...figures, ratio.toFixed(2), relayCpuUs.toFixed(0), readerCpuUs.toFixed(0)],
  ]);
}

export function readsTable({ payments, reads, seedSeconds }: ReportingTiming): string {
  const [small, large] = payments;
  const lines = reads.map(({ read, p50Ms, p99Ms, p99Ratio }) => [
    read,
    ...[...p50Ms, ...p99Ms].map((milliseconds) => milliseconds.toFixed(1)),
    p99Ratio.toFixed(2),
  ]);
  const titles = ['p50', 'p99'].flatMap((share) => payments.map((count) => `${share} ms at ${count}`));
  return `${table(['reads', ...titles, `x p99 ${large} / ${small}`], lines)}\n(seeded in ${seedSeconds.toFixed(0)} s)`;
}

export function ingestTable({ ingest, subscriptionEventsPerSecond }: ReportingTiming): string {
  const { events, eventsPerSecond, copiedPerSecond, ratio } = ingest;
  const figures = [eventsPerSecond, copiedPerSecond].map((figure) => figure.toFixed(0));
  return table(
    [`projection, ${events} events`, 'events/s', 'COPY alone', 'ratio'],
    [
      ['inbox and rollups', ...figures, ratio.toFixed(3)],
      ['the same of subscriptions', subscriptionEventsPerSecond.toFixed(0), '-', '-'],
    ],
  );
}

export function startsTable(timings: readonly StartTiming[]): string {
  const lines = timings.map(({ program, startSeconds, cpuSeconds, residentMb }) => [
    program,
    ...[startSeconds, cpuSeconds, residentMb].map((value) => (value === null ? '-' : figure(value))),
  ]);
  return table(['starts', 's', 'CPU s', 'MB'], lines);
}

/** The figures of a service, a line each. */
export function figuresTable(service: string, timing: AccountsTiming | BillingTiming): string {
  return table(
    [service, 'measured'],
    Object.entries(timing).map(([name, value]) => [name, value === null ? '-' : figure(value as number)]),
  );
}

export function goalTable(results: readonly GoalResult[]): string {
  const lines = results.map(({ goal, measured, floor, target, better, verdict }) => {
    const sign = better === 'higher' ? '>=' : '<=';
    return [goal, figure(measured), `${sign} ${figure(floor)}`, `${sign} ${figure(target)}`, verdict];
  });
  return table(['goal', 'measured', 'floor', 'target', ''], lines);
}

/** At most three digits behind the point, and none where they would say nothing. */
function figure(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 0.1 ? String(Number(value.toFixed(2))) : value.toPrecision(2);
}

/** First column to the left, the others to the right. */
function table(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [titles, ...lines];
  const widths = titles.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  const row = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  return all.map(row).join('\n');
}

/** @returns its place, from the root folder of the checkout */
export function writeReport(report: Report): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  return 'bench/out/report.json';
}
