import { csvRows, type CsvRow } from './csv-rows';
import { readHabitCsv } from './habit-csv';
import type { ReadContext, WalkableFile } from './read-file';
import { readTaskCsv } from './task-csv';
import { UnreadableFile } from './unreadable-file';

/** A table whose first row names its columns, in any order and case; columns that nobody asks for are passed over. */
export interface CsvTable {
  /** Rows that have the cells asked for; the others are rejected. */
  rows(): Generator<{ where: string; cell: (column: string) => string }>;
  readonly has: (column: string) => boolean;
}

/** The columns decide whether a table is of habits or of tasks. */
export function readCsv(bytes: Uint8Array, context: ReadContext): WalkableFile {
  const rows = csvRows(new TextDecoder().decode(bytes));
  const header = rows.next().value as CsvRow | undefined;
  const columns = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const table = tableOf(rows, columns, context);
  if (['habit', 'date', 'value'].every(table.has)) return readHabitCsv(table, context);
  if (['task', 'time', 'ok'].every(table.has)) return readTaskCsv(table, context);
  throw new UnreadableFile(
    `${refusalOf(bytes, columns)} A table begins with a row that names its columns: habit,date,value or task,time,ok, with commas between.`,
  );
}

function tableOf(rows: Generator<CsvRow>, columns: readonly string[], { rejects }: ReadContext): CsvTable {
  const has = (column: string) => columns.includes(column);
  return {
    has,
    *rows() {
      for (const { line, cells, fault } of rows) {
        const where = `line ${line}`;
        if (fault !== undefined) rejects.add(where, fault);
        else if (cells.some((cell) => cell.includes('\uFFFD'))) rejects.add(where, 'the line is not UTF-8');
        else if (cells.length < columns.length)
          rejects.add(where, `${cells.length} cells where ${columns.length} belong`);
        else yield { where, cell: (column) => cells[columns.indexOf(column)]!.trim() };
      }
    },
  };
}

function refusalOf(bytes: Uint8Array, columns: readonly string[]): string {
  if (bytes.length === 0) return 'The file is empty.';
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return 'The file is text in UTF-16: save it as UTF-8.';
  }
  if (bytes.subarray(0, 1_000).includes(0)) return 'The file is none of the kinds that can be read.';
  if (columns.length === 1 && /[;\t]/.test(columns[0]!)) return 'The columns are not separated by commas.';
  return 'The first row does not name the columns.';
}
