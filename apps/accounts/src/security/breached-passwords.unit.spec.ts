import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '@zxcvbn-ts/language-common';
import { CommonPasswords, PasswordFile } from './breached-passwords';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'breached-'))));
afterAll(() => rm(folder, { recursive: true }));

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

async function fileOf(counts: Record<string, number>, lineEnd = '\n', hash = hashOf): Promise<string> {
  const lines = Object.entries(counts).map(([password, count]) => `${hash(password)}:${count}`);
  const path = join(folder, `${Math.random()}`);
  await writeFile(path, lines.sort().join(lineEnd) + lineEnd);
  return path;
}

const listOf = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`password ${n}`, 1 + n]));

it.each([1, 2, 3, 10, 1_000])('finds every line of %i, and no other', async (size) => {
  for (const lineEnd of ['\n', '\r\n']) {
    const list = await PasswordFile.open(await fileOf(listOf(size), lineEnd), 1);
    const found = await Promise.all(Object.keys(listOf(size)).map((password) => list.has(password)));
    expect(found).toEqual(Array(size).fill(true));
    for (let n = 0; n < 50; n++) expect(await list.has(`other ${n}`)).toBe(false);
    await list.onApplicationShutdown();
  }
});

it('reads lower case and a last line without its end', async () => {
  const path = await fileOf({ one: 1 }, '', (password) => hashOf(password).toLowerCase());
  const list = await PasswordFile.open(path, 1);
  expect([await list.has('one'), await list.has('two')]).toEqual([true, false]);
  await list.onApplicationShutdown();
});

it('takes no notice of what was seen less often than the threshold', async () => {
  const list = await PasswordFile.open(await fileOf(listOf(20)), 10);
  expect([await list.has('password 8'), await list.has('password 9')]).toEqual([false, true]);
  await list.onApplicationShutdown();
});

it('refuses a file that is missing or has another form', async () => {
  await expect(PasswordFile.open(join(folder, 'missing'), 1)).rejects.toThrow('BREACH_LIST_FILE');
  await writeFile(join(folder, 'other'), 'password\n');
  await expect(PasswordFile.open(join(folder, 'other'), 1)).rejects.toThrow('BREACH_LIST_FILE');
});

it('the bundled list has common passwords, and no other', async () => {
  const list = new CommonPasswords();
  const common = dictionary['passwords-common'].filter((_, place) => place % 50 === 0);
  const found = await Promise.all(common.map((one) => list.has(one.toUpperCase())));
  expect(new Set(found)).toEqual(new Set([true]));
  expect(await Promise.all(['seven quiet otters', 'passwort von Ana'].map((one) => list.has(one)))).toEqual([
    false,
    false,
  ]);
});
