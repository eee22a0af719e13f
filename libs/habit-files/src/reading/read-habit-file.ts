import type { HabitFile, HabitFileFormat } from '../habit-file';
import { readLoopDatabase } from '../loop/read-loop-database';
import { loopFolders, readLoopZip } from '../loop/read-loop-zip';
import type { ReadOptions } from './collected-habits';
import { readHabitCsv } from './habit-csv';
import { readOwnJson } from './own-json';
import { gunzipped, isGzip, unzipped } from './unpack';
import { READ_LIMITS, UnreadableFile, type ReadLimits } from './unreadable-file';

/** The format of a file by its content: when no other fits it is a table, or nothing that can be read. */
export function formatOf(bytes: Uint8Array): HabitFileFormat {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 64));
  if (opening.startsWith('SQLite format 3\0')) return 'loop-database';
  if (/^PK(\x03\x04|\x05\x06)/.test(opening)) return 'loop-zip';
  return /^(\xEF\xBB\xBF)?\s*[{[]/.test(opening) ? 'json' : 'csv';
}

/** A backup is packed by its app, then by a person, then by a mail. */
const DEEPEST = 3;

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
  return readContent(bytes, options, limits, 0);
}

async function readContent(
  bytes: Uint8Array,
  options: ReadOptions,
  limits: ReadLimits,
  depth: number,
): Promise<HabitFile> {
  const isPacked = isGzip(bytes) || formatOf(bytes) === 'loop-zip';
  if (isPacked && depth === DEEPEST) {
    throw new UnreadableFile('file_kind_unknown', `The file is packed more than ${DEEPEST} times.`);
  }
  if (isGzip(bytes)) {
    const content = await gunzipped(bytes, limits);
    return readContent(content, options, lessBytes(limits, content.length), depth + 1);
  }
  switch (formatOf(bytes)) {
    case 'loop-database':
      return readLoopDatabase(bytes, options);
    case 'loop-zip':
      return readZip(bytes, options, limits, depth);
    case 'json':
      return readOwnJson(bytes, options);
    case 'csv':
      return readHabitCsv(bytes, options);
  }
}

function lessBytes(limits: ReadLimits, unpacked: number): ReadLimits {
  return { ...limits, unpackedBytes: Math.max(0, limits.unpackedBytes - unpacked) };
}

/** Names of files that may hold habits. */
const WANTED = /\.(csv|json|db|sqlite3?|zip|gz|bak|backup)$/i;

/** The one file of habits that a zip has, an export of Loop with all its files among them; others are named as not read. */
async function readZip(bytes: Uint8Array, options: ReadOptions, limits: ReadLimits, depth: number): Promise<HabitFile> {
  const { files, others } = unzipped(bytes, limits, (path) => WANTED.test(path));
  const folders = loopFolders(files.keys());
  if (folders.length > 1) throw severalIn(folders.map((folder) => `${folder}Habits.csv`));
  const [folder] = folders;
  if (folder !== undefined) {
    const [inside, outside] = [new Map<string, Uint8Array>(), [...others]];
    for (const [path, content] of files) {
      if (path.startsWith(folder)) inside.set(path.slice(folder.length), content);
      else outside.push(path);
    }
    return withUnread(readLoopZip(inside, options), outside);
  }
  const path = theOneIn([...files.keys()]);
  const unpacked = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const file = await readContent(files.get(path)!, options, lessBytes(limits, unpacked), depth + 1);
  return withUnread(file, [...others, ...[...files.keys()].filter((other) => other !== path)]);
}

/** @throws UnreadableFile */
function theOneIn(paths: readonly string[]): string {
  // An app that packs all its files into a zip calls the one of habits so.
  const named = paths.filter((path) => /(^|\/)habits\.json$/i.test(path));
  const candidates = named.length === 1 ? named : paths;
  if (candidates.length > 1) throw severalIn(candidates);
  const [path] = candidates;
  if (path !== undefined) return path;
  const sentence = 'The zip has neither the Habits.csv of an export of Loop nor another file of habits.';
  throw new UnreadableFile('zip_without_habits', sentence);
}

const NAMED_PATHS = 5;

function severalIn(paths: readonly string[]): UnreadableFile {
  const named = paths.slice(0, NAMED_PATHS).map((path) => path.slice(0, 100));
  const more = paths.length > NAMED_PATHS ? ', …' : '';
  const sentence = `The zip holds several files that may be habits (${named.join(', ')}${more}): pack the one to read.`;
  return new UnreadableFile('zip_without_habits', sentence);
}

function withUnread(file: HabitFile, paths: readonly string[]): HabitFile {
  if (paths.length === 0) return file;
  const named = paths.slice(0, NAMED_PATHS).map((path) => path.slice(0, 100));
  const more = paths.length > NAMED_PATHS ? ` and ${paths.length - NAMED_PATHS} more` : '';
  return { ...file, notes: [...file.notes, `Files of the zip that were not read: ${named.join(', ')}${more}.`] };
}
