import { readCsv, type TaskFile } from './csv-file';
import type { HabitFile } from './collected-habits';
import { readExport } from './own-export';
import { readLoopDatabase } from './loop-database';
import { readLoopZip } from './loop-zip';
import { type Rejects, UnreadableFile } from './rejects';

export type WalkableFile = HabitFile | TaskFile;

export interface ReadContext {
  readonly rejects: Rejects;
  /** Day number of the present day. */
  readonly today: number;
}

/**
 * Reads a file of any kind that is known; its content says which, never its name.
 * @throws UnreadableFile when nothing of it is left
 */
export async function readFile(bytes: Uint8Array, context: ReadContext): Promise<WalkableFile> {
  const file = await readByContent(bytes, context);
  const empty = file.subject === 'habits' ? file.habits.length === 0 : file.tasks.length === 0;
  if (empty) throw new UnreadableFile(`Nothing of the file is left: no ${file.subject} with a usable entry.`);
  return file;
}

function readByContent(bytes: Uint8Array, context: ReadContext): Promise<WalkableFile> | WalkableFile {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 64));
  if (opening.startsWith('SQLite format 3\0')) return readLoopDatabase(bytes, context);
  if (opening.startsWith('PK\x03\x04')) return readLoopZip(bytes, context);
  if (/^(\xEF\xBB\xBF)?\s*[{[]/.test(opening)) return readExport(bytes, context);
  return readCsv(bytes, context);
}
