import { unguardedCell } from '../spreadsheet-cells';
import { csvRows, type CsvRow } from './csv-rows';
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
      else if (cells.length < columns.length) reject(row, `${cells.length} cells where ${columns.length} belong`);
      else {
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
