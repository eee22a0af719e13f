import { Readable } from 'node:stream';
import { pagesOf, Snapshot } from '@evenkeel/platform/validation';
import type { DataSource } from 'typeorm';

/** A spreadsheet takes a text with such a beginning for a formula, and runs it; a negative amount is a number. */
const FORMULA = /^(?:[=+@\t\r\n]|-(?!\d+(?:\.\d+)?$))/;

const NEEDS_QUOTES = /[",\r\n]/;

interface CsvRows<Row> {
  statement: string;
  values: unknown[];
  titles: readonly string[];
  /** The fields of a row, as many as `titles`. */
  recordOf: (row: Row) => (string | null)[];
}

/**
 * The rows of one state of the database as a CSV text, read as the reader takes them. One that goes away ends the query.
 * @returns once the first rows are there
 */
export async function openCsv<Row>(
  dataSource: DataSource,
  { statement, values, titles, recordOf }: CsvRows<Row>,
): Promise<Readable> {
  const snapshot = await Snapshot.open(dataSource);
  const pages = pagesOf<Row>(snapshot.query, statement, values);
  const first = await pages.next().catch(async (error: unknown) => {
    await snapshot.close();
    throw error;
  });
  const lines = async function* () {
    yield csvLine(titles);
    for (let page = first; !page.done; page = await pages.next())
      yield page.value.map((row) => csvLine(recordOf(row))).join('');
    // Before the end: a reader that has all of a file may ask for the next one at once.
    await snapshot.close();
  };
  return Readable.from(lines(), { objectMode: false, highWaterMark: 1 }).once('close', () => void snapshot.close());
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
