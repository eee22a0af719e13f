import { SystemClock } from '@evenkeel/kernel';
import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { benchAccounts, type AccountsTiming } from './accounts/accounts.bench';
import { checkAccounts } from './accounts/accounts-goals';
import { benchBilling, type BillingTiming } from './billing/billing.bench';
import { BENCH, type BenchOptions } from './bench-options';
import { benchBodies, type BodyTiming } from './bodies/bodies.bench';
import { compare, type Comparison } from './compare/compare';
import { type Path, Stage } from './compare/stage';
import { benchEngine, type EngineTiming } from './engine.bench';
import {
  checkBilling,
  checkBodies,
  checkComparison,
  checkEngine,
  checkProcesses,
  checkRelay,
  checkReporting,
} from './goals';
import { describeMachine } from './machine';
import { benchProcesses, type StartTiming } from './processes/processes.bench';
import { benchRelay, type RelayTiming } from './relay/relay.bench';
import {
  bodiesTable,
  comparisonTable,
  engineTable,
  figuresTable,
  goalTable,
  ingestTable,
  readsTable,
  relayTable,
  startsTable,
  writeReport,
} from './report/report';
import { benchReporting, type ReportingTiming } from './reporting/reporting.bench';

const HABIT_COUNTS = [1, 25];

async function measure(options: BenchOptions): Promise<void> {
  const machine = await describeMachine();
  const engine = options.parts.includes('engine') ? await runEngine() : [];
  const bodies = options.parts.includes('bodies') ? runBodies() : [];
  const comparisons = await runComparisons(options);
  const relay = options.parts.includes('relay') ? await runRelay(options.rounds) : null;
  const reporting = options.parts.includes('reporting') ? await runReporting(options) : null;
  const accounts = options.parts.includes('accounts') ? await runAccounts(options) : null;
  const billing = options.parts.includes('billing') ? await runBilling(options) : null;
  const processes = options.parts.includes('processes') ? await runProcesses(options.rounds) : [];
  const goals = [
    ...checkEngine(engine),
    ...checkBodies(bodies),
    ...comparisons.flatMap(checkComparison),
    ...(relay ? checkRelay(relay) : []),
    ...(reporting ? checkReporting(reporting) : []),
    ...(accounts ? checkAccounts(accounts) : []),
    ...(billing ? checkBilling(billing) : []),
    ...checkProcesses(processes),
  ];
  console.log(`\n${goalTable(goals)}\n`);
  if (machine.busyBeforeRatio > 0.1)
    console.log('The machine was busy before the run: only the ratios mean something.');

  const { rounds, seconds } = options;
  const measuredAt = new SystemClock().now().toISOString();
  const figures = { engine, bodies, comparisons, relay, reporting, accounts, billing, processes, goals };
  console.log(`written: ${writeReport({ measuredAt, machine, rounds, seconds, ...figures })}`);
}

async function runEngine(): Promise<EngineTiming[]> {
  const figures = await benchEngine();
  console.log(`\n${engineTable(figures)}`);
  return figures;
}

function runBodies(): BodyTiming[] {
  const timings = benchBodies();
  console.log(`\n${bodiesTable(timings)}`);
  return timings;
}

async function runRelay(rounds: number): Promise<RelayTiming> {
  const timing = await benchRelay(rounds);
  console.log(`\n${relayTable(timing)}`);
  return timing;
}

async function runReporting(options: BenchOptions): Promise<ReportingTiming> {
  const timing = await benchReporting(options);
  console.log(`\n${readsTable(timing)}\n\n${ingestTable(timing)}`);
  return timing;
}

async function runAccounts({ rounds, seconds, profileTo }: BenchOptions): Promise<AccountsTiming> {
  const timing = await benchAccounts(rounds, seconds, profileTo);
  console.log(`
${figuresTable('accounts', timing)}`);
  return timing;
}

async function runBilling({ rounds, seconds, profileTo }: BenchOptions): Promise<BillingTiming> {
  const timing = await benchBilling(rounds, seconds, profileTo);
  console.log(`
${figuresTable('billing', timing)}`);
  return timing;
}

async function runProcesses(rounds: number): Promise<StartTiming[]> {
  const timings = await benchProcesses(rounds);
  console.log(`\n${startsTable(timings)}`);
  return timings;
}

async function runComparisons({ parts, rounds, seconds, profileTo }: BenchOptions): Promise<Comparison[]> {
  const paths = (['challenge', 'paid', 'whole', 'observability'] satisfies Path[]).filter((path) =>
    parts.includes(path),
  );
  const comparisons: Comparison[] = [];
  if (paths.length === 0) return comparisons;

  const stage = await Stage.set(paths, profileTo);
  try {
    for (const path of paths) {
      for (const habits of path === 'observability' ? [1] : HABIT_COUNTS) {
        const comparison = await compare(stage, path, habits, { rounds, seconds });
        console.log(`\n${comparisonTable(comparison)}`);
        comparisons.push(comparison);
      }
    }
    return comparisons;
  } finally {
    await stage.close();
  }
}

startCommand(process.env, (args, _env, streams) => runCommand(BENCH, args, streams, measure));
