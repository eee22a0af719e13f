import { type CsvLine, type CsvTable, dayOf, expectAtMost, nameIn, READ_LIMITS } from '@evenkeel/habit-files';
import type { ReadLimits } from '@evenkeel/habit-files';

/** A person waits for one file of their own: more is read than a service would. */
export const LIMITS: ReadLimits = { ...READ_LIMITS, fileBytes: 64 * 1024 * 1024, logs: 1_000_000 };

/** A recurring job with its runs, oldest first; runs of the same instant in the order of the file. */
export interface Task {
  readonly name: string;
  readonly runs: readonly Run[];
}

interface Run {
  readonly atMs: number;
  readonly ok: boolean;
}

export const TASK_COLUMNS = ['task', 'time', 'ok'];
const OK = ['1', 'true', 'yes', 'ok', 'pass', 'passed', 'success'];
const FAILED = ['0', 'false', 'no', 'fail', 'failed', 'failure', 'error'];
/** Day, time, and a zone; without one it is UTC. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i;
const FIRST_MS = Date.UTC(2000, 0);

/**
 * Reads `task,time,ok`.
 * @param endMs runs from then on are rejected
 * @throws UnreadableFile
 */
export function readTaskCsv(table: CsvTable, endMs: number, reject: (row: string, reason: string) => void): Task[] {
  const byName = new Map<string, Run[]>();
  let count = 0;
  for (const line of table.lines(reject)) {
    const read = readRun(line, endMs);
    if ('reason' in read) {
      reject(line.row, read.reason);
      continue;
    }
    expectAtMost(LIMITS.logs, ++count, 'too_many_logs', 'runs');
    const runs = byName.get(read.name) ?? [];
    runs.push(read.run);
    byName.set(read.name, runs);
    expectAtMost(LIMITS.habits, byName.size, 'too_many_habits', 'tasks');
  }
  return [...byName].map(([name, runs]) => ({ name, runs: runs.sort((a, b) => a.atMs - b.atMs) }));
}

function readRun(line: CsvLine, endMs: number): { name: string; run: Run } | { reason: string } {
  const named = nameIn(line, 'task');
  if ('reason' in named) return named;
  const atMs = instantOf(line.cell('time'));
  if (Number.isNaN(atMs)) return { reason: 'the time is not an instant such as 2026-01-31T07:00:00Z' };
  if (atMs < FIRST_MS) return { reason: 'the time is before 2000-01-01' };
  if (atMs >= endMs) return { reason: 'the time is in the future' };
  const word = line.cell('ok').toLowerCase();
  if (!OK.includes(word) && !FAILED.includes(word)) {
    return { reason: 'ok is neither yes nor no, 1 nor 0, passed nor failed' };
  }
  return { name: named.name, run: { atMs, ok: OK.includes(word) } };
}

function instantOf(text: string): number {
  const [, date, time, zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (date === undefined || dayOf(date) === undefined) return NaN;
  return Date.parse(`${date}T${time!.replace(/(\.\d{3})\d+$/, '$1')}${zone.toUpperCase()}`);
}
