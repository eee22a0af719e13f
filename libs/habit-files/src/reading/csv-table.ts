import { decoded, usableName } from './texts';
import { UnreadableFile } from './unreadable-file';

export interface CsvLine {
  /** `line 12` */
  readonly row: string;
  /** As it is written, without the space around it. */
  readonly cell: (column: string) => string;
  /** With the space around it, without the apostrophe that keeps a spreadsheet from running it. */
  readonly text: (column: string) => string;
}

/** A table whose first row names its columns, in any order and case; columns that are not asked for are skipped. */
export class CsvTable {
  private readonly rows: Generator<CsvRow>;
  private readonly columns: readonly string[];
  private readonly isUtf8: boolean;

  /**
   * @param count called for every row
   * @throws UnreadableFile when the bytes are no text in UTF-8, or nothing
   */
  constructor(
    private readonly bytes: Uint8Array,
    count: () => void,
  ) {
    this.refuseWhatIsNoTable();
    const { text, isUtf8 } = textOf(bytes);
    this.isUtf8 = isUtf8;
    this.rows = csvRows(text, count);
    const header = this.rows.next().value as CsvRow | undefined;
    this.columns = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  }

  /** Columns of other names, and each but the first of one name. */
  others(...columns: readonly string[]): string[] {
    const isOther = (column: string, place: number): boolean =>
      !columns.includes(column) || this.columns.indexOf(column) !== place;
    return this.columns.filter((column, place) => column !== '' && isOther(column, place));
  }

  has(...columns: readonly string[]): boolean {
    return columns.every((column) => this.columns.includes(column));
  }

  /**
   * Rows that have the cells asked for.
   * @param reject gets the others
   */
  *lines(reject: (row: string, reason: string) => void): Generator<CsvLine> {
    const { columns } = this;
    for (const { line, cells, fault } of this.rows) {
      const row = `line ${line}`;
      if (fault !== undefined) reject(row, fault);
      else if (!this.isUtf8 && cells.some((cell) => cell.includes('\uFFFD'))) reject(row, 'the line is not UTF-8');
      // The rest of a text whose comma is not in quotes would be lost.
      else if (cells.length < columns.length || cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
        reject(row, `${cells.length} cells where ${columns.length} belong`);
      } else {
        const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
        yield { row, cell: (column) => cell(column).trim(), text: (column) => unguardedCell(cell(column)) };
      }
    }
  }

  /** For a caller who knows what columns would have been right. */
  unknownColumns(right: string): UnreadableFile {
    const isOneColumn = this.columns.length === 1 && /[;\t]/.test(this.columns[0]!);
    const found = isOneColumn ? 'The columns are not separated by commas.' : 'The first row does not name the columns.';
    const advice = `A table begins with a row that names its columns: ${right}, with commas between.`;
    return new UnreadableFile('columns_missing', `${found} ${advice}`);
  }

  private refuseWhatIsNoTable(): void {
    const { bytes } = this;
    if (bytes.length === 0) throw new UnreadableFile('file_empty', 'The file is empty.');
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
      throw new UnreadableFile('encoding_not_utf8', 'The file is text in UTF-16: save it as UTF-8.');
    }
    if (bytes.subarray(0, 1_000).includes(0)) {
      throw new UnreadableFile('file_kind_unknown', 'The file is none of the kinds that can be read.');
    }
  }
}

/** Where the bytes are not UTF-8 all through, the lines that are can be read all the same. */
function textOf(bytes: Uint8Array): { text: string; isUtf8: boolean } {
  try {
    return { text: decoded(bytes, { fatal: true }), isUtf8: true };
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    return { text: decoded(bytes), isUtf8: false };
  }
}

/** @returns the name that a cell holds, or why it holds none */
export function nameIn({ text }: CsvLine, column: string): { name: string } | { reason: string } {
  return usableName(text(column));
}

/** Characters, with all its line breaks. */
const LONGEST_CELL = 10_000;
const MOST_CELLS = 100;
/** A longer one is no line of a table. */
const LONGEST_LINE = LONGEST_CELL * MOST_CELLS;

export interface CsvRow {
  /** Of its first character; the first line is 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the row cannot be read. */
  readonly fault?: string;
}

/** A first line as spreadsheets of old Macs end each; in quotes a CR is a character of the cell. */
const ENDS_WITH_CR = /^(?:[^"\r\n]|"[^"]*")*\r(?!\r*(?:\n|$))/;

/**
 * Reads rows one at a time. A row that cannot be read ends with its line, so that one forgotten quote costs one line.
 * @param count called for every row, also those that are empty and left out
 * @throws UnreadableFile
 * @see RFC 4180
 */
export function* csvRows(text: string, count: () => void): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  const lineBreak = ENDS_WITH_CR.test(text.slice(0, LONGEST_CELL)) ? '\r' : '\n';
  while (at < text.length) {
    count();
    const row = readRow(text, at, lineBreak);
    const { fault, cells, end, lines } = row;
    if (fault !== undefined || cells.length > 1 || cells[0]!.trim() !== '') yield { line, cells, fault };
    at = end;
    line += lines;
  }
}

interface ReadRow {
  readonly cells: string[];
  readonly fault?: string;
  readonly end: number;
  readonly lines: number;
}

function readRow(text: string, start: number, lineBreak: string): ReadRow {
  const cells: string[] = [];
  let at = start;
  let lines = 1;
  const lineEnd = endOfLine(text, start, lineBreak);
  const faulty = (fault: string): ReadRow => {
    if (lineEnd - start > LONGEST_LINE) throw lineTooLong();
    return { cells, fault, end: lineEnd + 1, lines: 1 };
  };
  for (;;) {
    if (text[at] === '"') {
      let cell = '';
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0 || quote - at > LONGEST_CELL) return faulty('a quote is not closed');
        cell += text.slice(from, quote);
        if (text[quote + 1] !== '"') {
          at = quote + 1;
          break;
        }
        cell += '"';
        from = quote + 2;
      }
      cells.push(cell);
      lines += cell.split(lineBreak).length - 1;
      if (text[at] === '\r' && text[at + 1] === lineBreak) at++;
      if (at < text.length && text[at] !== ',' && text[at] !== lineBreak) return faulty('text after a closed quote');
    } else {
      const end = endOfCell(text, at, lineBreak);
      if (end - at > LONGEST_CELL) return faulty('the line is too long');
      cells.push(text.slice(at, end).replace(/\r$/, ''));
      at = end;
    }
    if (cells.length > MOST_CELLS) return faulty(`more than ${MOST_CELLS} cells`);
    if (text[at] !== ',') return { cells, end: at + 1, lines };
    at++;
  }
}

function lineTooLong(): UnreadableFile {
  const sentence = `The table has a line of more than ${LONGEST_LINE.toLocaleString('en')} characters.`;
  return new UnreadableFile('file_kind_unknown', sentence);
}

function endOfLine(text: string, from: number, lineBreak: string): number {
  const end = text.indexOf(lineBreak, from);
  return end < 0 ? text.length : end;
}

function endOfCell(text: string, from: number, lineBreak: string): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== lineBreak) at++;
  return at;
}

/** Text that a spreadsheet would run, or split; apostrophes before it do not change that. */
const RUN_BY_SPREADSHEETS = /^'*(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/;

/** Puts an apostrophe before what a spreadsheet would run. */
export function guardedCell(text: string): string {
  return RUN_BY_SPREADSHEETS.test(text) ? `'${text}` : text;
}

/** Takes the apostrophe back: exactly what `guardedCell` was given. */
export function unguardedCell(text: string): string {
  return text.startsWith("'") && RUN_BY_SPREADSHEETS.test(text.slice(1)) ? text.slice(1) : text;
}
