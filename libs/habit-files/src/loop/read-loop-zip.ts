import type { HabitFile } from '../habit-file';
import { CollectedHabits, type CollectedHabit, dayOf, type ReadOptions, withNote } from '../reading/collected-habits';
import { csvRows, type CsvRow } from '../reading/csv-table';
import { decoded } from '../reading/texts';
import { UnreadableFile } from '../reading/unreadable-file';
import {
  LeftOut,
  type LoopEntry,
  entryOf,
  loopHabitOf,
  openLoopHabit,
  type LoopHabit,
  colourOfText,
} from './loop-habit';

/** Without the folder around the export. */
const HABITS = 'habits.csv';
const CHECKMARKS = /^([^/]*)\/checkmarks\.csv$/i;
/** Computed of the others: nothing is lost without them. */
const COMPUTED = /^(checkmarks|([^/]*\/)?scores)\.csv$/i;

/** Words of newer exports for a value, of numbers too. */
const VALUES: ReadonlyMap<string, number> = new Map(
  Object.entries({ UNKNOWN: -1, NO: 0, YES_AUTO: 1, YES_MANUAL: 2, SKIP: 3 }),
);

/** The folders of a zip that hold an export of Loop Habit Tracker: `` or `Loop Habits CSV 2026-01-31/`. */
export function loopFolders(paths: Iterable<string>): string[] {
  return [...paths]
    .filter((path) => nameOf(path).toLowerCase() === HABITS)
    .map((path) => path.slice(0, -HABITS.length));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Reads the CSV export of Loop Habit Tracker: `Habits.csv`, and `Checkmarks.csv` in the folder of each habit. The list has all habits,
 * also where the person chose some for the export: those without a folder are left out.
 * @param files what was in its zip, by path from the folder that has `Habits.csv`
 * @throws UnreadableFile
 */
export function readLoopZip(files: ReadonlyMap<string, Uint8Array>, options: ReadOptions): HabitFile {
  const collected = new CollectedHabits(options);
  const list = [...files].find(([path]) => path.toLowerCase() === HABITS)![1];
  const listed = [...habitRows(decoded(list), collected)];
  const leftOut = new LeftOut();
  const marks = marksOf(files, listed);
  const positions = new Set<number>();
  let chosen = 0;
  for (const row of listed) {
    const { where, loop, position } = row;
    const isSecond = positions.has(position);
    positions.add(position);
    const own = isSecond ? undefined : marks.get(row);
    if (isSecond) collected.reject('habits', where, 'a second habit of this position');
    else if ('reason' in loop) collected.reject('habits', where, loop.reason);
    if (own === undefined) continue;
    chosen++;
    const owner = 'reason' in loop ? loop : { loop, habit: openLoopHabit(collected, loop) };
    readMarks(decoded(own.bytes), own.path, owner, { collected, leftOut });
  }
  if (chosen === 0 && listed.length > 0) throw withoutMarks(listed.length);
  const notChosen = listed.filter((row) => !marks.has(row) && !('reason' in row.loop)).length;
  const ofAll = leftOut.notes();
  if (notChosen > 0) {
    ofAll.unshift(
      `Habits left out, of which the zip has the names and no marks, not being chosen for it: ${notChosen}.`,
    );
  }
  const read = new Set([...marks.values()].map(({ path }) => path));
  for (const path of files.keys()) {
    if (path.toLowerCase() === HABITS || read.has(path) || COMPUTED.test(path)) continue;
    if (CHECKMARKS.test(path)) collected.reject('logs', path, 'its habit is not in Habits.csv');
    else collected.leaveOut(path.slice(0, LONGEST_PATH));
  }
  return collected.finished('loop-zip', { ofAll });
}

const LONGEST_PATH = 200;

function withoutMarks(listed: number): UnreadableFile {
  const sentence = `The zip lists ${listed} habits in Habits.csv, and has the marks of none of them.`;
  return new UnreadableFile('zip_without_habits', sentence);
}

interface HabitRow {
  readonly where: string;
  readonly loop: ReturnType<typeof loopHabitOf>;
  readonly position: number;
  /** As the list has it. */
  readonly name: string;
}

interface Marks {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The folder of a habit begins with its position; some people rename it to the name alone. */
function marksOf(files: ReadonlyMap<string, Uint8Array>, listed: readonly HabitRow[]): Map<HabitRow, Marks> {
  const marks = new Map<HabitRow, Marks>();
  for (const [path, bytes] of files) {
    const folder = CHECKMARKS.exec(path)?.[1]?.trim();
    if (folder === undefined) continue;
    const position = /^(\d{1,6})(?!\d)/.exec(folder)?.[1];
    const row =
      listed.find((one) => position !== undefined && one.position === Number(position)) ??
      listed.find(({ name }) => folder !== '' && (folder === name || folder === nameOfFolder(name)));
    if (row && !marks.has(row)) marks.set(row, { path, bytes });
  }
  return marks;
}

/** As the tracker makes it of the name of a habit. */
function nameOfFolder(name: string): string {
  return name
    .replace(/[^ a-zA-Z0-9._-]+/g, '')
    .slice(0, 100)
    .trim();
}

function* habitRows(list: string, collected: CollectedHabits): Generator<HabitRow> {
  const rows = csvRows(list, () => collected.countRow());
  const columns = ((rows.next().value as CsvRow | undefined)?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  let place = 0;
  for (const { line, cells, fault } of rows) {
    const cell = (column: string) => cells[columns.indexOf(column)]?.trim() ?? '';
    place++;
    const position = Number(cell('position')) || place;
    const loop = fault === undefined ? habitOf(cell, position) : { reason: fault };
    yield { where: `Habits.csv, line ${line}`, loop, position, name: cell('name') };
  }
}

function habitOf(cell: (column: string) => string, position: number): ReturnType<typeof loopHabitOf> {
  return loopHabitOf({
    name: cell('name'),
    question: cell('question'),
    description: cell('description'),
    unit: cell('unit'),
    // Older exports say NumRepetitions and Interval.
    times: Number(cell('frequencynumerator') || cell('numrepetitions')),
    days: Number(cell('frequencydenominator') || cell('interval')),
    archived: /^(true|1)$/i.test(cell('archived?')),
    order: position - 1,
    color: colourOfText(cell('color')),
    numerical: /^(NUMERICAL|1)$/i.test(cell('type')),
    atMost: /^(AT_MOST|1)$/i.test(cell('target type')),
    target: Number(cell('target value') || NaN),
  });
}

function readMarks(
  text: string,
  path: string,
  owner: { loop: LoopHabit; habit: CollectedHabit } | { reason: string },
  { collected, leftOut }: { collected: CollectedHabits; leftOut: LeftOut },
): void {
  for (const { line, cells, fault } of csvRows(text, () => collected.countRow())) {
    const where = `${path.slice(0, LONGEST_PATH)}, line ${line}`;
    const [date = '', value = ''] = cells.map((cell) => cell.trim());
    if (line === 1 && /^date$/i.test(date)) continue;
    if ('reason' in owner) {
      collected.rejectLogOf(owner.reason, where);
      continue;
    }
    const day = dayOf(date);
    const entry = markOf(value, owner.loop);
    if (fault !== undefined) collected.reject('logs', where, fault);
    else if (day === undefined) collected.reject('logs', where, 'the date is not a day such as 2026-01-31');
    else if (entry === undefined) collected.reject('logs', where, 'the value means nothing');
    else collected.add(owner.habit, day, withNote(leftOut.entry(entry), cells[2] ?? '', collected.texts), where);
  }
}

function markOf(value: string, loop: LoopHabit): LoopEntry | undefined {
  const word = VALUES.get(value.toUpperCase());
  if (word !== undefined) return entryOf(word, loop);
  if (!/^-?\d{1,15}$/.test(value)) return undefined;
  // Older exports fill every day without a mark with 0.
  return value === '0' && loop.number === undefined ? 'unknown' : entryOf(Number(value), loop);
}
