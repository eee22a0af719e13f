import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openedDatabase } from './loop/sqlite';

const FOLDER = join(__dirname, 'cases');

/** Files in the forms that people have; all names and days in them are invented. */
export function fieldFile(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(join(FOLDER, name)));
}

/** The data of each habit in a backup of Loop beside its days, in the order of the list. */
export async function loopFacts(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const database = await openedDatabase(bytes);
  const facts = 'name, archived, freq_num, freq_den, question, description, color';
  const [{ columns, values }] = database.exec(`SELECT ${facts} FROM Habits ORDER BY position`) as [
    { columns: string[]; values: unknown[][] },
  ];
  database.close();
  return values.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
}
