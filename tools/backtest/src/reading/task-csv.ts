import { usableName } from './collected-habits';
import type { CsvTable } from './csv-file';
import { dayOf } from './day-of';
import { expectAtMost, LIMITS } from './limits';
import type { ReadContext } from './read-file';

/** A recurring job with its runs, oldest first; runs of the same instant in the order of the file. */
export interface Task {
  readonly name: string;
  readonly runs: readonly Run[];
}

export interface Run {
  readonly atMs: number;
  readonly ok: boolean;
}

export interface TaskFile {
  readonly subject: 'tasks';
  readonly format: string;
  readonly tasks: readonly Task[];
  readonly notes: readonly string[];
}

const OK = ['1', 'true', 'yes', 'ok', 'pass', 'passed', 'success'];
const FAILED = ['0', 'false', 'no', 'fail', 'failed', 'failure', 'error'];
/** Day, time, and a zone; without one it is UTC. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i;
const FIRST_MS = Date.UTC(2000, 0);

/** `task,time,ok`. */
export function readTaskCsv(table: CsvTable, { rejects, today }: ReadContext): TaskFile {
  const byName = new Map<string, Run[]>();
  let count = 0;
  for (const { where, cell } of table.rows()) {
    const row = readRun(cell, (today + 2) * 86_400_000);
    if ('reason' in row) {
      rejects.add(where, row.reason);
      continue;
    }
    expectAtMost(LIMITS.entries, ++count, 'runs');
    const runs = byName.get(row.name) ?? [];
    runs.push(row.run);
    byName.set(row.name, runs);
    expectAtMost(LIMITS.series, byName.size, 'tasks');
  }
  const tasks = [...byName].map(([name, runs]): Task => ({ name, runs: runs.sort((a, b) => a.atMs - b.atMs) }));
  return { subject: 'tasks', format: 'CSV of tasks', tasks, notes: [] };
}

function readRun(cell: (column: string) => string, endMs: number): { name: string; run: Run } | { reason: string } {
  const text = cell('task');
  if (text.startsWith('=')) return { reason: 'the task is a formula' };
  const named = usableName(text.replace(/^'(?=[=+\-@])/, ''));
  if ('reason' in named) return named;
  const atMs = instantOf(cell('time'));
  if (atMs === undefined) return { reason: 'the time is not an instant such as 2026-01-31T07:00:00Z' };
  if (atMs < FIRST_MS) return { reason: 'the time is before 2000-01-01' };
  if (atMs >= endMs) return { reason: 'the time is in the future' };
  const word = cell('ok').toLowerCase();
  if (!OK.includes(word) && !FAILED.includes(word))
    return { reason: 'ok is neither yes nor no, 1 nor 0, passed nor failed' };
  return { name: named.name, run: { atMs, ok: OK.includes(word) } };
}

function instantOf(text: string): number | undefined {
  const [, date, time, zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (date === undefined || dayOf(date) === undefined) return undefined;
  const atMs = Date.parse(`${date}T${time!.replace(/(\.\d{3})\d+$/, '$1')}${zone.toUpperCase()}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
