import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '@zxcvbn-ts/language-common';
import { CommonPasswords, PasswordFile } from './breached-passwords';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'breached-'))));
afterAll(() => rm(folder, { recursive: true }));

const lineOf = (password: string, count: number) =>
  `${createHash('sha1').update(password).digest('hex').toUpperCase()}:${count}`;

/** Which of the passwords are on a list with these lines. */
async function foundIn(text: string, passwords: readonly string[], threshold = 1): Promise<boolean[]> {
  const path = join(folder, 'list');
  await writeFile(path, text);
  const list = await PasswordFile.open(path, threshold);
  const found = await Promise.all(passwords.map((password) => list.has(password)));
  await list.onApplicationShutdown();
  return found;
}

it.each([1, 2, 3, 10, 1_000])('finds every line of %i that was seen often enough, and no other', async (size) => {
  const listed = Array.from({ length: size }, (_, n) => `password ${n}`);
  const others = Array.from({ length: 50 }, (_, n) => `other ${n}`);
  const lines = listed.map((password, n) => lineOf(password, 1 + n)).sort();
  for (const lineEnd of ['\n', '\r\n'])
    expect(await foundIn(lines.join(lineEnd) + lineEnd, [...listed, ...others])).toEqual([
      ...listed.map(() => true),
      ...others.map(() => false),
    ]);
  expect(await foundIn(lines.join('\n'), listed, 3)).toEqual(listed.map((_, n) => n >= 2));
});

it('reads lower case and a last line without its end', async () => {
  expect(await foundIn(lineOf('one', 1).toLowerCase(), ['one', 'two'])).toEqual([true, false]);
});

it('refuses a file that is missing or has another form', async () => {
  await expect(PasswordFile.open(join(folder, 'missing'), 1)).rejects.toThrow('BREACH_LIST_FILE');
  await expect(foundIn('password\n', [])).rejects.toThrow('BREACH_LIST_FILE');
});

it('the bundled list has common passwords, and no other', async () => {
  const list = new CommonPasswords();
  for (const one of dictionary['passwords-common'].filter((_, place) => place % 50 === 0))
    expect([one, await list.has(one.toUpperCase())]).toEqual([one, true]);
  expect(await list.has('seven quiet otters')).toBe(false);
});
