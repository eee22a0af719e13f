import type { HabitFile } from '../habit-file';
import { CollectedHabits, type CollectedHabit, dayOf, type ReadOptions, withNote } from '../reading/collected-habits';
import { csvRows, type CsvRow } from '../reading/csv-rows';
import { decoded } from '../reading/texts';
import { UnreadableFile } from '../reading/unreadable-file';
import { LeftOut, type LoopEntry } from './left-out';
import { entryOf, loopHabitOf, openLoopHabit, type LoopHabit } from './loop-habit';

const HABITS = /^habits\.csv$/i;
/** In the folder of a habit, which begins with its position. */
const CHECKMARKS = /^(\d{1,6}) [^/]*\/checkmarks\.csv$/i;

/** What newer exports write. */
const MARKS: ReadonlyMap<string, LoopEntry> = new Map<string, LoopEntry>([
  ['YES_MANUAL', { status: 'COMPLETED', completionRate: 1 }],
  ['SKIP', { status: 'SKIPPED', completionRate: 0 }],
  ['NO', 'nothing'],
  ['YES_AUTO', 'filled in'],
  ['UNKNOWN', 'unknown'],
]);

/** Whether an export of Loop Habit Tracker has a file of this path that is read. */
export function isOfLoop(path: string): boolean {
  return HABITS.test(path) || CHECKMARKS.test(path);
}

/**
 * Reads the CSV export of Loop Habit Tracker: `Habits.csv`, and `Checkmarks.csv` in the folder of each habit.
 * @param files what was in its zip, by path
 * @throws UnreadableFile
 */
export function readLoopZip(files: ReadonlyMap<string, Uint8Array>, options: ReadOptions): HabitFile {
  const collected = new CollectedHabits(options);
  const list = [...files].find(([path]) => HABITS.test(path))?.[1];
  if (list === undefined) {
    const sentence = 'The zip has neither the Habits.csv of an export of Loop nor one JSON of ours.';
    throw new UnreadableFile('zip_without_habits', sentence);
  }
  const leftOut = new LeftOut();
  const byPosition = new Map<number, { loop: LoopHabit; habit: CollectedHabit }>();
  for (const { where, loop, position, hasColour } of habitRows(decoded(list), collected)) {
    if ('reason' in loop) collected.reject('habits', where, loop.reason);
    else if (byPosition.has(position)) collected.reject('habits', where, 'a second habit of this position');
    else {
      byPosition.set(position, { loop, habit: openLoopHabit(collected, loop) });
      if (hasColour) leftOut.count('colour');
    }
  }
  for (const [path, bytes] of files) {
    const [, position] = CHECKMARKS.exec(path) ?? [];
    if (position === undefined) continue;
    const owner = byPosition.get(Number(position));
    if (owner) readMarks(decoded(bytes), path, owner, { collected, leftOut });
    else collected.reject('logs', path, 'its habit is not in Habits.csv');
  }
  return collected.finished('loop-zip', { ofAll: leftOut.notes() });
}

interface HabitRow {
  readonly where: string;
  readonly loop: ReturnType<typeof loopHabitOf>;
  readonly position: number;
  readonly hasColour: boolean;
}

function* habitRows(list: string, collected: CollectedHabits): Generator<HabitRow> {
  const rows = csvRows(list, () => collected.countRow());
  const columns = ((rows.next().value as CsvRow | undefined)?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  let place = 0;
  for (const { line, cells, fault } of rows) {
    const cell = (column: string) => cells[columns.indexOf(column)]?.trim() ?? '';
    place++;
    const loop = fault === undefined ? habitOf(cell) : { reason: fault };
    const position = Number(cell('position')) || place;
    yield { where: `Habits.csv, line ${line}`, loop, position, hasColour: cell('color') !== '' };
  }
}

function habitOf(cell: (column: string) => string): ReturnType<typeof loopHabitOf> {
  return loopHabitOf({
    ...{ name: cell('name'), question: cell('question'), description: cell('description'), unit: cell('unit') },
    // Older exports say NumRepetitions and Interval.
    times: Number(cell('frequencynumerator') || cell('numrepetitions')),
    days: Number(cell('frequencydenominator') || cell('interval')),
    archived: /^(true|1)$/i.test(cell('archived?')),
    position: Number(cell('position') || NaN),
    numerical: /^(NUMERICAL|1)$/i.test(cell('type')),
    atMost: /^(AT_MOST|1)$/i.test(cell('target type')),
    target: Number(cell('target value') || NaN),
  });
}

function readMarks(
  text: string,
  path: string,
  { loop, habit }: { loop: LoopHabit; habit: CollectedHabit },
  { collected, leftOut }: { collected: CollectedHabits; leftOut: LeftOut },
): void {
  for (const { line, cells, fault } of csvRows(text, () => collected.countRow())) {
    const where = `${path.slice(0, 200)}, line ${line}`;
    const [date = '', value = ''] = cells.map((cell) => cell.trim());
    if (line === 1 && /^date$/i.test(date)) continue;
    const day = dayOf(date);
    const entry = markOf(value, loop);
    if (fault !== undefined) collected.reject('logs', where, fault);
    else if (day === undefined) collected.reject('logs', where, 'the date is not a day such as 2026-01-31');
    else if (entry === undefined) collected.reject('logs', where, 'the value means nothing');
    else collected.add(habit, day, withNote(leftOut.entry(entry), cells[2] ?? '', collected.texts), where);
  }
}

function markOf(value: string, loop: LoopHabit): LoopEntry | undefined {
  const mark = MARKS.get(value);
  if (mark !== undefined) return mark;
  if (!/^-?\d{1,15}$/.test(value)) return undefined;
  // Older exports fill every day without a mark with 0.
  return value === '0' && loop.number === undefined ? 'unknown' : entryOf(Number(value), loop);
}
