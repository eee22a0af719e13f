import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyTiming } from '../bodies/bodies.bench';
import type { Comparison } from '../compare/compare';
import type { EngineTiming } from '../engine.bench';
import type { GoalResult } from '../goals';
import type { Machine } from '../machine';
import type { RelayTiming } from '../relay/relay.bench';
import type { ReportingTiming } from '../reporting/reporting.bench';

export interface Report {
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
  goals: GoalResult[];
}

const FOLDER = join(__dirname, '../../out');

/** @returns its place, from the root folder of the checkout */
export function writeReport(report: Report): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  return 'bench/out/report.json';
}
