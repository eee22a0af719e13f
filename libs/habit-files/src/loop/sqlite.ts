import initSqlJs, { type Database, type SqlValue } from 'sql.js';
import { UnreadableFile } from '../reading/unreadable-file';
import { expectTree, rollbackJournalled } from './database-pages';

/** What SQLite may take of the memory that never shrinks again, beside the file. */
const HEAP_BYTES = 64 * 1024 * 1024;

/** SQLite is loaded once a process. */
export async function openedDatabase(bytes?: Uint8Array): Promise<Database> {
  const sql = await initSqlJs();
  const database = new sql.Database(bytes);
  database.exec(`PRAGMA hard_heap_limit = ${HEAP_BYTES}`);
  return database;
}

/**
 * Opens a database that nobody has looked at: it is only read, and its tables are trees that end.
 * @throws UnreadableFile
 */
export async function readDatabase<Result>(bytes: Uint8Array, work: (database: Database) => Result): Promise<Result> {
  try {
    // The schema is a table too, the first thing that SQLite walks through.
    expectTree(bytes, 1);
    const database = await openedDatabase(rollbackJournalled(bytes));
    try {
      database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON');
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile('database_broken', `The database cannot be read: ${(error as Error).message}.`);
  }
}

/** A table of a database, by the columns that are there. */
export interface Table {
  readonly columns: ReadonlySet<string>;
  rows(): Generator<Row>;
}

export type Row = (column: string) => SqlValue;

/**
 * @param asked names of columns, in small letters
 * @returns undefined when there is none: a view may count to infinity, and will not do
 */
export function tableOf(
  database: Database,
  bytes: Uint8Array,
  name: string,
  asked: readonly string[],
): Table | undefined {
  const [found] = database.exec(
    `SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND lower(name) = '${name.toLowerCase()}'`,
  );
  if (!found) return undefined;
  expectTree(bytes, Number(found.values[0]![1]));
  const names = database
    .exec(`PRAGMA table_info(${name})`)[0]!
    .values.map(([, column]) => textOf(column!).toLowerCase());
  const columns = asked.filter((column) => names.includes(column));
  return { columns: new Set(columns), rows: () => rowsOf(database, name, columns) };
}

function* rowsOf(database: Database, name: string, columns: readonly string[]): Generator<Row> {
  if (columns.length === 0) return;
  // A broken index must not tell what the table holds.
  const statement = database.prepare(`SELECT ${columns.join()} FROM ${name} NOT INDEXED`);
  const places = new Map(columns.map((column, place) => [column, place]));
  try {
    while (statement.step()) {
      const values = statement.get();
      yield (column) => values[places.get(column) ?? -1] ?? null;
    }
  } finally {
    statement.free();
  }
}

export function textOf(value: SqlValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? 'of bytes' : String(value);
}

export function numberOf(value: SqlValue): number {
  return typeof value === 'number' ? value : NaN;
}
