import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NoRelease, NothingReleased, Release } from './release';

const WHO = ['-c', 'user.name=Shop', '-c', 'user.email=shop@example.com', '-c', 'commit.gpgsign=false'];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evenkeel-shop-'));
  git('init', '--quiet');
  write('apps/shop/src/migrations/1-create-orders.ts', 'export class CreateOrders1736847000000 {} // total');
  write('apps/shop/src/orders.ts', 'SELECT note FROM orders');
  write('apps/shop/src/orders.int.spec.ts', 'SELECT remark FROM orders');
  commit();
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: string[]): string => execFileSync('git', [...WHO, ...args], { cwd: root, encoding: 'utf8' });
function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
function commitEmpty(): void {
  git('commit', '--quiet', '--allow-empty', '--message', 'nothing');
}
function commit(): string {
  git('add', '.');
  git('commit', '--quiet', '--message', 'a change');
  return git('rev-parse', 'HEAD').trim();
}

it('is the last one with a tag of a version, and knows its migrations and what its code names', async () => {
  git('tag', 'v1.0.0');
  write('apps/shop/src/migrations/2-drop-note.ts', 'export class DropNote1736847000001 {}');
  write('apps/shop/src/orders.ts', 'SELECT price FROM orders');
  commit();
  git('tag', 'nightly');
  const release = await Release.of(root);
  expect(release.name).toBe('v1.0.0');
  expect([...(await release.migrations('shop'))]).toEqual(['CreateOrders1736847000000']);
  const named = await Promise.all(
    ['note', 'not', 'price', 'total', 'remark'].map((word) => release.usesOf(word, 'shop')),
  );
  expect(named.map(({ length }) => length)).toEqual([1, 0, 0, 0, 0]);

  const folder = join(root, 'release');
  await release.checkOut(folder);
  expect(readFileSync(join(folder, 'apps/shop/src/orders.ts'), 'utf8')).toContain('note');
  expect(existsSync(join(folder, 'apps/shop/src/migrations/2-drop-note.ts'))).toBe(false);
});

it('is any commit that is named', async () => {
  const first = git('rev-parse', 'HEAD').trim();
  write('apps/shop/src/migrations/2-drop-note.ts', 'export class DropNote1736847000001 {}');
  commit();
  expect((await (await Release.of(root, first)).migrations('shop')).size).toBe(1);
  expect((await (await Release.of(root, 'HEAD')).migrations('shop')).size).toBe(2);
});

it('tells a repository without a release from one that lacks commits', async () => {
  await expect(Release.of(root)).rejects.toThrow(NothingReleased);
  await expect(Release.of(root)).rejects.toThrow('name its commit: --ref <commit>');
  commitEmpty();
  const shallow = mkdtempSync(join(tmpdir(), 'evenkeel-shallow-'));
  try {
    git('clone', '--quiet', '--depth', '1', `file://${root}`, shallow);
    const error: unknown = await Release.of(shallow).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoRelease);
    expect(error).not.toBeInstanceOf(NothingReleased);
    expect((error as Error).message).toContain('type "git fetch --tags --unshallow"');
  } finally {
    rmSync(shallow, { recursive: true });
  }
});

it('is missed with a sentence', async () => {
  await expect(Release.of(root, 'v9')).rejects.toThrow('There is no commit v9 here.');
  await expect(Release.of(root, '--all')).rejects.toThrow('There is no commit --all here.');
});
