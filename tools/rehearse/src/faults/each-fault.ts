import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '../cluster';
import type { Thing } from './lines';
import type { Trial } from './trial';
import {
  BACK_WITHIN_MS,
  backAfterMs,
  documentsP99,
  othersP99,
  restarted,
  wrongIn,
  wrongInCalm,
  type Fault,
  type Phase,
} from './verdicts';

/** How long each fault lasts. */
const FAULT_MS: Readonly<Record<Fault, number>> = { refused: 20_000, hung: 20_000, slow: 10_000 };
/** Until all must be back, and then as long again. */
const AFTER_MS = 2 * BACK_WITHIN_MS;
const CALM_MS = 5_000;

/** The report of one fault. */
export interface FaultRow {
  name: string;
  requests: number;
  failed: number;
  /** Of requests that do not need the thing, in milliseconds. */
  othersP99: number;
  /** Of documents and unpaid 402 while the fault lasts. */
  documentsP99: number;
  backAfterMs: number;
  wrong: string[];
}

/** Those that ended from one moment to another: what was under way when a fault began is part of it. */
function endedFrom(answers: readonly Ending[], from: number, until = Infinity): Ending[] {
  return answers.filter(({ at, ms }) => at + ms >= from && at + ms < until);
}

/**
 * Every fault of some things, one after the other, under traffic.
 * @returns makes a row for each, the first for the time before; called when the traffic has ended, it has every answer
 */
export async function eachFault(
  trial: Trial,
  things: readonly Thing[],
  report: (step: string) => void,
): Promise<() => FaultRow[]> {
  const phases: WatchedPhase[] = [];
  await sleep(CALM_MS);
  for (const thing of things) {
    for (const fault of ['refused', 'hung', 'slow'] as const) {
      const phase = await oneFault(trial, thing, fault);
      phases.push(phase);
      const { name, failed, requests, wrong } = rowOf(phase, endedFrom(trial.answers, phase.from));
      report(`${name}: ${failed} of ${requests} failed, ${wrong.length} things are wrong`);
    }
  }
  return () => {
    const calm = endedFrom(trial.answers, 0, phases[0]!.from);
    const wrong = wrongInCalm(calm);
    const first = {
      name: 'before',
      requests: calm.length,
      failed: wrong.length,
      wrong,
      othersP99: 0,
      documentsP99: 0,
      backAfterMs: 0,
    };
    const rows = phases.map((phase, number) =>
      rowOf(phase, endedFrom(trial.answers, phase.from, phases[number + 1]?.from)),
    );
    return [first, ...rows];
  };
}

interface WatchedPhase extends Phase {
  /** A sentence for each process that ended, or was started again. */
  ended: string[];
}

async function oneFault(trial: Trial, thing: Thing, fault: Fault): Promise<WatchedPhase> {
  const line = trial.lines.of(thing);
  const before = trial.pids;
  const from = performance.now();
  await line.become(fault);
  await sleep(FAULT_MS[fault]);
  await line.become('flowing');
  const until = performance.now();
  await sleep(AFTER_MS);
  return { thing, fault, from, until, ended: restarted(before, trial.pids) };
}

function rowOf(phase: WatchedPhase, answers: readonly Ending[]): FaultRow {
  const name = `${phase.thing} ${phase.fault}`;
  return {
    name,
    requests: answers.length,
    failed: answers.filter(({ error }) => error !== undefined).length,
    othersP99: Math.round(othersP99(phase, answers)),
    documentsP99: Math.round(documentsP99(phase, answers)),
    backAfterMs: Math.round(backAfterMs(phase, answers)),
    wrong: [...wrongIn(phase, answers), ...phase.ended.map((sentence) => `${name}: ${sentence}`)],
  };
}
