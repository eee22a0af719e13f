import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '@zxcvbn-ts/language-common';
import { AccountsConfig } from '../accounts.config';
import { CommonPasswords, PasswordFile } from './breached-passwords';
import { Passwords } from './passwords';

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

const SMALLEST = { ARGON2_MEMORY_KIB: 8, ARGON2_PASSES: 1, ARGON2_LANES: 1 };

it('hashes two at a time, lets 20 wait, refuses more, and goes on after a hash that cannot be read', async () => {
  const passwords = new Passwords(Object.assign(new AccountsConfig(), SMALLEST), new CommonPasswords());
  const stored = await passwords.hashOf('secret');
  const broken = Array.from({ length: 3 }, () => passwords.matches('secret', 'nonsense'));
  expect((await Promise.allSettled(broken)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => passwords.matches('secret', stored)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as object] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ kind: 'rate_limited', details: { scope: 'concurrency' } });
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(22);
});
