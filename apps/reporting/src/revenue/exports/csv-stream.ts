import { Readable } from 'node:stream';

/** What makes a spreadsheet take a text for a formula, and run it. */
const FORMULA = /^[=+\-@\t\r\n]/;

const NEEDS_QUOTES = /[",\r\n]/;

interface RowSource<Row> {
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

  constructor(
    private readonly source: RowSource<Row>,
    titles: readonly string[],
    private readonly recordOf: (row: Row) => (string | null)[],
  ) {
    super({ highWaterMark: 1 });
    this.push(csvLine(titles));
  }

  override _read(): void {
    this.fetching = this.source.next(ROWS_AT_A_TIME).then(
      (rows) => void this.push(rows.length === 0 ? null : rows.map((row) => csvLine(this.recordOf(row))).join('')),
      (error: Error) => void this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.fetching
      .then(() => this.source.close())
      .then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
  }
}

/**
 * One record of RFC 4180, with its line end. A text that a spreadsheet would run gets an apostrophe in front, which
 * spreadsheets take for "this is text".
 */
export function csvLine(values: readonly (string | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
