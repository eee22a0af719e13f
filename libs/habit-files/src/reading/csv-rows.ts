import { UnreadableFile } from './unreadable-file';

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

/**
 * Reads rows one at a time. A row that cannot be read ends with its line, so that one forgotten quote costs one line.
 * @param count called for every row, also those that are empty and left out
 * @throws UnreadableFile
 * @see RFC 4180
 */
export function* csvRows(text: string, count: () => void): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    count();
    const row = readRow(text, at);
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

function readRow(text: string, start: number): ReadRow {
  const cells: string[] = [];
  let at = start;
  let lines = 1;
  const lineEnd = endOfLine(text, start);
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
      lines += cell.split('\n').length - 1;
      if (text[at] === '\r' && text[at + 1] === '\n') at++;
      if (at < text.length && text[at] !== ',' && text[at] !== '\n') return faulty('text after a closed quote');
    } else {
      const end = endOfCell(text, at);
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

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOfCell(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n') at++;
  return at;
}
