import { DomainError } from '@evenkeel/kernel';

export type FileProblem =
  | 'file_empty'
  | 'file_too_large'
  | 'file_kind_unknown'
  | 'encoding_not_utf8'
  | 'columns_missing'
  | 'json_broken'
  | 'json_without_habits'
  | 'json_version_unknown'
  | 'gzip_broken'
  | 'zip_broken'
  | 'zip_without_habits'
  | 'unpacked_too_large'
  | 'database_broken'
  | 'database_not_of_loop'
  | 'loop_version_unknown'
  | 'too_many_habits'
  | 'too_many_logs'
  | 'too_many_rows'
  | 'took_too_long'
  | 'took_too_much_memory';

/** The file cannot be read; the message is a sentence for its sender. */
export class UnreadableFile extends DomainError {
  override readonly name = 'UnreadableFile';
  readonly kind = 'invalid';

  constructor(
    readonly code: FileProblem,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Limits of a file, so that none can exhaust the process: years of many habits are far below. */
export interface ReadLimits {
  readonly fileBytes: number;
  readonly unpackedBytes: number;
  readonly filesInZip: number;
  readonly habits: number;
  readonly logs: number;
  /** Rows of all tables, also those that say nothing. */
  readonly rows: number;
  /** Of one habit on one local date. */
  readonly logsOfADay: number;
}

export const READ_LIMITS: ReadLimits = {
  fileBytes: 10 * 1024 * 1024,
  unpackedBytes: 100 * 1024 * 1024,
  filesInZip: 2_000,
  habits: 500,
  logs: 100_000,
  rows: 1_000_000,
  logsOfADay: 50,
};

export function tooMuchMemory(): UnreadableFile {
  return new UnreadableFile('took_too_much_memory', 'The file takes too much memory.');
}

/** @throws UnreadableFile where a file holds more than is read */
export function expectAtMost(limit: number, count: number, code: FileProblem, what: string): void {
  if (count > limit) throw new UnreadableFile(code, `The file holds more than ${limit.toLocaleString('en')} ${what}.`);
}
