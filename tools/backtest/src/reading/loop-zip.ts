import { Unzip, UnzipInflate } from 'fflate';
import {
  CollectedHabits,
  usableName,
  type CollectedHabit,
  type Entry,
  type HabitFile,
  dayOf,
} from './collected-habits';
import { csvRows, type CsvRow } from './csv-rows';
import { LIMITS, UnreadableFile } from './rejects';
import { entryOfMark, entryOfNumber, factsOf, isFrequency, type LoopHabit } from './loop-database';
import type { ReadContext } from './read-file';

/** What newer exports write; a mark that was only filled in says nothing. */
const MARKS: Readonly<Record<string, Entry>> = {
  YES_MANUAL: { status: 'COMPLETED' },
  SKIP: { status: 'SKIPPED' },
  NO: 'nothing',
  YES_AUTO: 'unknown',
  UNKNOWN: 'unknown',
};

/**
 * Reads the CSV export of Loop Habit Tracker: `Habits.csv`, and `Checkmarks.csv` in the folder of each habit, which
 * begins with its position.
 * @throws UnreadableFile
 */
export function readLoopZip(bytes: Uint8Array, context: ReadContext): HabitFile {
  const files = unpack(bytes);
  const list = [...files].find(([path]) => /^habits\.csv$/i.test(path))?.[1];
  if (list === undefined) throw new UnreadableFile('The zip has no Habits.csv: it is no export of Loop.');
  const collected = new CollectedHabits(context.rejects, context.today);
  const byPosition = new Map<number, { loop: LoopHabit; habit: CollectedHabit }>();
  for (const { where, row, position } of habitRows(list)) {
    const loop = habitOf(row);
    if ('reason' in loop) context.rejects.add(where, loop.reason);
    else byPosition.set(position, { loop, habit: collected.open(factsOf(loop)) });
  }
  for (const [path, text] of files) {
    const [, position] = /^(\d+) [^/]*\/checkmarks\.csv$/i.exec(path) ?? [];
    if (position === undefined) continue;
    const owner = byPosition.get(Number(position));
    if (!owner) context.rejects.add(path, 'its habit is not in Habits.csv');
    else
      readMarks(text, path, owner.loop, (day, entry, where) => collected.add(owner.habit, day, entry, where), context);
  }
  return { subject: 'habits', format: 'Loop zip', habits: collected.finished(), weekStart: 'MONDAY', notes: [] };
}

/** What a zip ends with, and how long its end can be. */
const END = 'PK\x05\x06';
const LONGEST_END = 22 + 0xffff;

/** Texts by path. What comes out is counted while it does: sizes that a zip states of itself prove nothing. */
function unpack(bytes: Uint8Array): Map<string, string> {
  if (!Buffer.from(bytes.subarray(-LONGEST_END)).includes(END)) throw new UnreadableFile('The zip is cut short.');
  const files = new Map<string, string>();
  let unpacked = 0;
  let found = 0;
  const unzip = new Unzip((file) => {
    if (++found > LIMITS.filesInZip) throw new UnreadableFile(`The zip holds more than ${LIMITS.filesInZip} files.`);
    if (!file.name.toLowerCase().endsWith('.csv')) return;
    const decoder = new TextDecoder();
    let text = '';
    file.ondata = (error, data, final) => {
      if (error) throw error;
      unpacked += data.length;
      if (unpacked > LIMITS.unpackedBytes) throw new UnreadableFile('The zip unpacks to more than 100 MiB.');
      text += decoder.decode(data, { stream: !final });
      if (final) files.set(file.name, text);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    // Small pieces: one of them can grow a thousandfold before it is counted.
    const piece = 16 * 1024;
    for (let at = 0; at < bytes.length; at += piece) {
      unzip.push(bytes.subarray(at, at + piece), at + piece >= bytes.length);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`The zip cannot be unpacked: ${(error as Error).message}.`);
  }
  return files;
}

type Cells = (column: string) => string;

function* habitRows(list: string): Generator<{ where: string; row: Cells; position: number }> {
  const rows = csvRows(list);
  const columns = ((rows.next().value as CsvRow | undefined)?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  let place = 0;
  for (const { line, cells } of rows) {
    const row: Cells = (column) => cells[columns.indexOf(column)]?.trim() ?? '';
    place++;
    yield { where: `Habits.csv, line ${line}`, row, position: Number(row('position')) || place };
  }
}

function habitOf(row: Cells): LoopHabit | { reason: string } {
  const named = usableName(row('name'));
  if ('reason' in named) return named;
  // Older exports say NumRepetitions and Interval.
  const times = Number(row('frequencynumerator') || row('numrepetitions'));
  const days = Number(row('frequencydenominator') || row('interval'));
  if (!isFrequency(times, days)) return { reason: 'no frequency' };
  const numerical = /^(NUMERICAL|1)$/i.test(row('type'));
  const target = Number(row('target value') || NaN);
  if (numerical && !(target >= 0 && Number.isFinite(target))) return { reason: 'a number without a target' };
  const atMost = /^(AT_MOST|1)$/i.test(row('target type'));
  return { ...named, times, days, numerical, atMost, target, archived: /^(true|1)$/i.test(row('archived?')) };
}

function readMarks(
  text: string,
  path: string,
  loop: LoopHabit,
  add: (day: number, entry: Entry, where: string) => void,
  { rejects }: ReadContext,
): void {
  for (const { line, cells, fault } of csvRows(text)) {
    const where = `${path}, line ${line}`;
    const [date = '', value = ''] = cells.map((cell) => cell.trim());
    if (line === 1 && /^date$/i.test(date)) continue;
    const day = dayOf(date);
    const entry = entryOf(value, loop);
    if (fault !== undefined) rejects.add(where, fault);
    else if (day === undefined) rejects.add(where, 'the date is not a day such as 2026-01-31');
    else if (entry === undefined) rejects.add(where, 'the value means nothing');
    else add(day, entry, where);
  }
}

function entryOf(value: string, loop: LoopHabit): Entry | undefined {
  if (Object.hasOwn(MARKS, value)) return MARKS[value];
  if (!/^-?\d{1,15}$/.test(value)) return undefined;
  if (loop.numerical) return entryOfNumber(Number(value), loop);
  // Older exports fill every day without a mark with 0.
  return value === '0' ? 'unknown' : entryOfMark(Number(value));
}
