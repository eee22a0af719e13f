import type { HabitFile, HabitFileFormat } from '../habit-file';
import { readLoopDatabase } from '../loop/read-loop-database';
import { isOfLoop, readLoopZip } from '../loop/read-loop-zip';
import type { ReadOptions } from './collected-habits';
import { readHabitCsv } from './habit-csv';
import { readOwnJson } from './own-json';
import { gunzipped, isGzip, unzipped } from './unpack';
import { READ_LIMITS, UnreadableFile } from './unreadable-file';

/** What a file is, by its content: what does not look like anything else is a table, or nothing that can be read. */
export function formatOf(bytes: Uint8Array): HabitFileFormat {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 64));
  if (opening.startsWith('SQLite format 3\0')) return 'loop-database';
  if (/^PK(\x03\x04|\x05\x06)/.test(opening)) return 'loop-zip';
  return /^(\xEF\xBB\xBF)?\s*[{[]/.test(opening) ? 'json' : 'csv';
}

/** What we write is read from a zip too; some archivers put a file of their own beside each. */
const OWN_IN_ZIP = /^(?!__MACOSX\/).*\.json$/i;

/**
 * Reads a file of habits; its content says of which kind. Rows that cannot be used are rejected, each with its reason.
 * It may take seconds, and all memory that there is: a service reads in a process of its own, by `FileApart`.
 * @throws UnreadableFile
 */
export async function readHabitFile(bytes: Uint8Array, options: ReadOptions): Promise<HabitFile> {
  const limits = { ...READ_LIMITS, ...options.limits };
  if (bytes.length > limits.fileBytes) {
    throw new UnreadableFile('file_too_large', `The file is larger than ${limits.fileBytes / 2 ** 20} MiB.`);
  }
  if (isGzip(bytes)) return readText(await gunzipped(bytes, limits), options);
  switch (formatOf(bytes)) {
    case 'loop-database':
      return readLoopDatabase(bytes, options);
    case 'loop-zip':
      return readZip(
        unzipped(bytes, limits, (path) => isOfLoop(path) || OWN_IN_ZIP.test(path)),
        options,
      );
    default:
      return readText(bytes, options);
  }
}

function readText(bytes: Uint8Array, options: ReadOptions): HabitFile {
  return formatOf(bytes) === 'json' ? readOwnJson(bytes, options) : readHabitCsv(bytes, options);
}

function readZip(files: ReadonlyMap<string, Uint8Array>, options: ReadOptions): HabitFile {
  const [own, ...others] = [...files.keys()];
  const isOwn = own !== undefined && others.length === 0 && OWN_IN_ZIP.test(own);
  return isOwn ? readOwnJson(files.get(own)!, options) : readLoopZip(files, options);
}
