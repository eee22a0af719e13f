import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '@zxcvbn-ts/language-common';
import { PasswordFile } from './breached-passwords';
import { normalizedPassword, PASSWORD_LENGTH } from './new-password';

/** The list that a build leaves here. */
export const BUILT_LIST = join(__dirname, 'common-passwords.txt');

/** They have no counts, so no threshold applies. */
const COUNT = 1;

/** The bundled list: some eighteen thousand of the most common ones, as the build made it, or made now. */
export async function openCommonPasswords(): Promise<PasswordFile> {
  if (existsSync(BUILT_LIST)) return PasswordFile.open(BUILT_LIST, COUNT, true);
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-passwords-'));
  try {
    const path = join(folder, 'common.txt');
    await writeFile(path, commonPasswordLines());
    // An open file stays until it is closed, without its name.
    return await PasswordFile.open(path, COUNT, true);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Those that are long enough to be chosen, in lower case, in the order and form of Pwned Passwords. */
export function commonPasswordLines(): string {
  const lines = dictionary['passwords-common']
    .map((password) => normalizedPassword(password).toLowerCase())
    .filter(({ length }) => length >= PASSWORD_LENGTH.minimum)
    .map((password) => `${createHash('sha1').update(password).digest('hex').toUpperCase()}:${COUNT}\n`);
  return [...new Set(lines)].sort().join('');
}
