import type { Figures } from './figures';

interface Goal {
  floor: number;
  better: 'higher' | 'lower';
}

const atLeast = (floor: number): Goal => ({ floor, better: 'higher' });
const atMost = (floor: number): Goal => ({ floor, better: 'lower' });

/** A machine is never quite quiet. */
const TOLERANCE = 0.1;

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

type Verdict = 'met' | 'within a tenth' | 'missed';

interface GoalResult extends Goal {
  goal: string;
  measured: number;
  verdict: Verdict;
}

/** The goals of the figures that were measured; one that this machine cannot measure is not among them. */
export function checkGoals(figures: Figures): GoalResult[] {
  return Object.entries(GOALS).flatMap(([name, goal]) => {
    const measured = figures[name] ?? NaN;
    return Number.isNaN(measured) ? [] : [{ goal: name, measured, ...goal, verdict: verdictOf(measured, goal) }];
  });
}

function verdictOf(measured: number, { floor, better }: Goal): Verdict {
  const reaches = (limit: number): boolean => (better === 'higher' ? measured >= limit : measured <= limit);
  if (reaches(floor)) return 'met';
  return reaches(floor * (better === 'higher' ? 1 - TOLERANCE : 1 + TOLERANCE)) ? 'within a tenth' : 'missed';
}
