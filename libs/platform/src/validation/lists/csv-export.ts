import { Readable } from 'node:stream';
import type { DataSource } from 'typeorm';
import { Cursor } from './cursor';
import { Snapshot } from './snapshot';

/** A spreadsheet takes a text with such a beginning for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r\n]/;

const NEEDS_QUOTES = /[",\r\n]/;

/** Where the rows of an export come from. */
interface RowSource<Row> {
  /** The next rows; empty at the end. */
  next(count: number): Promise<Row[]>;
  close(): Promise<void>;
}

const ROWS_AT_A_TIME = 500;

/**
 * Rows as a CSV text. Asks for rows when the reader has taken those before; a reader that goes away closes the source.
 * @param recordOf the fields of a row, as many as `titles`
 */
export class CsvStream<Row> extends Readable {
  private fetching: Promise<void> = Promise.resolve();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly source: RowSource<Row>,
    titles: readonly string[],
    private readonly recordOf: (row: Row) => (string | null)[],
  ) {
    super({ highWaterMark: 1 });
    this.push(csvLine(titles));
  }

  override _read(): void {
    this.fetching = this.pushNext().catch((error: Error) => void this.destroy(error));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.fetching
      .then(() => this.close())
      .then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
  }

  private async pushNext(): Promise<void> {
    const rows = await this.source.next(ROWS_AT_A_TIME);
    // Before the end: a reader that has all of a file may ask for the next one at once.
    if (rows.length === 0) await this.close();
    this.push(rows.length === 0 ? null : rows.map((row) => csvLine(this.recordOf(row))).join(''));
  }

  private close(): Promise<void> {
    return (this.closing ??= this.source.close());
  }
}

/**
 * One record of RFC 4180, with its line end. A text that a spreadsheet would run gets an apostrophe in front, which
 * marks it as text.
 */
export function csvLine(values: readonly (string | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of one state of the database, a few at a time. */
export class SnapshotRows<Row> implements RowSource<Row> {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly cursor: Cursor<Row>,
  ) {}

  static async open<Row>(dataSource: DataSource, statement: string, values: unknown[]): Promise<SnapshotRows<Row>> {
    const snapshot = await Snapshot.open(dataSource);
    try {
      return new SnapshotRows(snapshot, await Cursor.open<Row>(snapshot.query, statement, values));
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  next(count: number): Promise<Row[]> {
    return this.cursor.next(count);
  }

  /** Ends the query, wherever it is. */
  close(): Promise<void> {
    return this.snapshot.close();
  }
}
