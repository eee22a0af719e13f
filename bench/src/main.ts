import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '@evenkeel/kernel';
import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { type Figures, rounded, table } from './figures';
import { checkGoals, type GoalResult } from './goals';
import { BENCH, type BenchOptions } from './options';
import { describeMachine } from './processes/machine';
import { benchAccounts } from './stages/accounts';
import { benchChainSpeed } from './stages/chain-speed';
import { benchEngine } from './stages/engine';
import { benchEvents } from './stages/events';
import { benchPaid } from './stages/paid';
import { benchReads } from './stages/reporting';

const FOLDER = join(__dirname, '../out');
const BUSY = 0.1;

/** @returns the exit code */
async function measure(options: BenchOptions): Promise<number> {
  const machine = await describeMachine();
  const figures = await measureParts(options);
  const goals = checkGoals(figures);
  console.log(`\n${figuresTable(figures)}\n\n${goalTable(goals)}\n`);
  if (machine.busyBeforeRatio > BUSY) console.log('The machine was busy before the run: the figures mean little.');

  const { rounds, seconds, payments } = options;
  const report = { measuredAt: new SystemClock().now().toISOString(), machine, rounds, seconds, payments };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'report.json'), `${JSON.stringify({ ...report, figures, goals }, null, 2)}\n`);
  console.log('written: bench/out/report.json');
  return goals.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}

async function measureParts({ parts, rounds, seconds, payments, beside }: BenchOptions): Promise<Figures> {
  const paths = (['402', 'paid'] as const).filter((path) => parts.includes(path));
  return {
    ...(parts.includes('engine') && (await benchEngine())),
    ...(paths.length > 0 && (await benchPaid({ paths, rounds, seconds, beside }))),
    ...(parts.includes('chain') && (await benchChainSpeed())),
    ...(parts.includes('accounts') && (await benchAccounts())),
    ...(parts.includes('reporting') && { ...(await benchReads(payments, rounds)), ...(await benchEvents()) }),
  };
}

function figuresTable(figures: Figures): string {
  const lines = Object.entries(figures).map(([name, value]) => [name, Number.isNaN(value) ? '-' : rounded(value)]);
  return table(['figure', 'measured'], lines);
}

function goalTable(goals: readonly GoalResult[]): string {
  const lines = goals.map(({ goal, measured, floor, better, verdict }) => {
    return [goal, rounded(measured), `${better === 'higher' ? '>=' : '<='} ${rounded(floor)}`, verdict];
  });
  return table(['goal', 'measured', 'floor', ''], lines);
}

startCommand(process.env, (args, _env, streams) => runCommand(BENCH, args, streams, measure));
