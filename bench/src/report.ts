import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@evenkeel/kernel';

/** The figures of a stage, by their names. */
export type Figures = Record<string, number>;

type Goal = { floor: number; better: 'higher' | 'lower' };

const atLeast = (floor: number): Goal => ({ floor, better: 'higher' });
const atMost = (floor: number): Goal => ({ floor, better: 'lower' });

/** A machine is never quite quiet. */
const TOLERANCE = 0.1;
const FOLDER = join(__dirname, '../out');

/** The goals, by the name of the figure; figures of no goal are shown alone. */
const GOALS: Readonly<Record<string, Goal>> = {
  'paid, 1 habit: npm start / @x402/express': atLeast(1),
  'paid, 25 habits: npm start / @x402/express': atLeast(1),
  'paid, 1 habit: gateway alone / @x402/express': atLeast(1.2),
  '402, 1 habit: gateway alone / @x402/express': atLeast(3),
  'paid, 1 habit: npm start / the release beside': atLeast(0.75),
  'paid, 1 habit: gateway alone / the release beside': atLeast(0.75),
  '402, 1 habit: gateway alone / the release beside': atLeast(0.6),
  'npm start, first: s': atMost(20),
  'npm start, again: s': atMost(6),
  'gateway alone, at rest: MB': atMost(200),

  'settle takes 2 s, 400 calls in flight: paid calls a second': atLeast(150),
  'settle takes 2 s, 400 calls in flight: answers 429': atMost(0),

  // Time over that of JSON alone, 34 µs on the machine on which these were set.
  'engine, one habit, all scores: x JSON': atMost(0.15 / 34),
  'engine, one task, all scores: x JSON': atMost(0.25 / 34),
  'engine, analyze, 25 items: x JSON': atMost(15 / 34),
  'engine, the same from JSON to JSON: x JSON': atMost(80 / 34),
  'engine, plan, 26 weeks, one habit: x JSON': atMost(3 / 34),
  'engine, risk from 365 days of logs: x JSON': atMost(3 / 34),

  'accounts, profile at 50 requests a second in all: p99 ms': atMost(50),
  'accounts, habit list at 50 requests a second in all: p99 ms': atMost(50),
  'accounts, one log at 50 requests a second in all: p99 ms': atMost(50),
  'accounts, analysis of 25 habits with five years: p99 ms': atMost(150),
  'accounts, logins a second': atLeast(15),
  'accounts, import of 45,000 logs: s': atMost(10),
  'accounts, at rest: MB': atMost(200),
  'accounts, during an import: MB': atMost(350),

  'reporting, slowest read at 1 M payments: p99 ms': atMost(300),
  'reporting, slowest read at 10 M payments: p99 ms': atMost(1_500),
  'reporting, projection: events a second': atLeast(2_000),
  'reporting, relay: events a second': atLeast(2_000),
};

/**
 * Shows the figures and the goals of those that were measured, and writes both to `bench/out/report.json`.
 * @param busy whether something else was at work before the run
 * @returns whether no goal was missed by more than a tenth
 */
export function report(figures: Figures, busy: boolean): boolean {
  const goals = Object.entries(GOALS)
    .map(([goal, rule]) => ({
      goal,
      measured: figures[goal] ?? NaN,
      ...rule,
      verdict: verdictOf(figures[goal]!, rule),
    }))
    .filter(({ measured }) => !Number.isNaN(measured));
  const lines = Object.entries(figures).map(([name, value]) => [name, Number.isNaN(value) ? '-' : rounded(value)]);
  const goalLines = goals.map(({ goal, measured, floor, better, verdict }) => {
    return [goal, rounded(measured), `${better === 'higher' ? '>=' : '<='} ${rounded(floor)}`, verdict];
  });
  console.log(`\n${table(['figure', 'measured'], lines)}\n\n${table(['goal', 'measured', 'floor', ''], goalLines)}\n`);
  if (busy) console.log('The machine was busy before the run: the figures mean little.');

  const machine = { cores: availableParallelism(), node: process.version, busy };
  const written = { measuredAt: new SystemClock().now().toISOString(), machine, figures, goals };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'report.json'), `${JSON.stringify(written, null, 2)}\n`);
  console.log('written: bench/out/report.json');
  return goals.every(({ verdict }) => verdict !== 'missed');
}

function verdictOf(measured: number, { floor, better }: Goal): 'met' | 'within a tenth' | 'missed' {
  const reaches = (limit: number): boolean => (better === 'higher' ? measured >= limit : measured <= limit);
  if (reaches(floor)) return 'met';
  return reaches(floor * (better === 'higher' ? 1 - TOLERANCE : 1 + TOLERANCE)) ? 'within a tenth' : 'missed';
}

/** Titles, then lines; the first column to the left, the others to the right. */
export function table(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [titles, ...lines];
  const widths = titles.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return all.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
}

/** At most three digits that say something. */
export function rounded(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
