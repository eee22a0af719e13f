import { Readable } from 'node:stream';
import { csvLine } from './csv-line';

export interface RowSource<Row> {
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
