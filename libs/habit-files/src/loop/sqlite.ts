import initSqlJs, { type Database, type SqlValue } from 'sql.js';
import { UnreadableFile } from '../reading/unreadable-file';

/** Limit of SQLite's memory, which never shrinks again, beside the file. */
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

const HEADER_BYTES = 100;
const INTERIOR = [0x02, 0x05];
const LEAF = [0x0a, 0x0d];

/**
 * Walks through the pages of a table. In a sound file each is there once, and all rows together are no longer than the
 * file; in another one a few pages that point to one another make a table without end.
 * @param root number of the first page, from 1
 * @throws UnreadableFile
 * @see SQLite, Database File Format, 1.6 B-tree Pages
 */
export function expectTree(bytes: Uint8Array, root: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pageSize = pageSizeOf(view);
  const seen = new Set<number>();
  const open = [root];
  let payload = 0;
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    const at = (page - 1) * pageSize;
    if (page < 1 || at + pageSize > bytes.length || seen.has(page)) throw broken();
    seen.add(page);
    const header = at + (page === 1 ? HEADER_BYTES : 0);
    const type = bytes[header]!;
    const isInterior = INTERIOR.includes(type);
    if (!isInterior && !LEAF.includes(type)) throw broken();
    const cells = header + (isInterior ? 12 : 8);
    const count = view.getUint16(header + 3);
    if (cells + 2 * count > at + pageSize) throw broken();
    if (isInterior) open.push(view.getUint32(header + 8));
    for (let cell = 0; cell < count; cell++) {
      const place = at + view.getUint16(cells + 2 * cell);
      if (place + 4 > at + pageSize) throw broken();
      if (isInterior) open.push(view.getUint32(place));
      if (type !== 0x05) payload += varint(bytes, place + (type === 0x02 ? 4 : 0));
    }
    if (payload > bytes.length) throw broken();
  }
}

function pageSizeOf(view: DataView): number {
  if (view.byteLength < 512) throw broken();
  const stated = view.getUint16(16);
  return stated === 1 ? 65_536 : Math.max(512, stated);
}

/** @see SQLite, Database File Format, 1.6: 7 bits a byte, at most 9 bytes */
function varint(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return value;
  }
  return value * 256 + (bytes[at + 8] ?? 0);
}

/** Phones write changes into a second file first (WAL); a backup is the first file alone, and is opened without it. */
export function rollbackJournalled(bytes: Uint8Array): Uint8Array {
  const [WRITE_VERSION, READ_VERSION, AHEAD] = [18, 19, 2] as const;
  if (bytes[WRITE_VERSION] !== AHEAD && bytes[READ_VERSION] !== AHEAD) return bytes;
  const copy = Uint8Array.from(bytes);
  copy[WRITE_VERSION] = copy[READ_VERSION] = 1;
  return copy;
}

function broken(): UnreadableFile {
  return new UnreadableFile('database_broken', 'The database cannot be read: it is cut short or damaged.');
}
