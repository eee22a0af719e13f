import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachedFolder } from './cache-folder';

let home: string;
const given = process.env.XDG_CACHE_HOME;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evenkeel-cache-'));
  process.env.XDG_CACHE_HOME = home;
});
afterEach(() => {
  if (given === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = given;
  rmSync(home, { recursive: true, force: true });
});

const fill = jest.fn(async (folder: string) => {
  await sleep(1);
  writeFileSync(join(folder, 'a.jar'), 'content');
});
beforeEach(() => fill.mockClear());

const contentOf = (folder: string): string => readFileSync(join(folder, 'a.jar'), 'utf8');

describe('cachedFolder', () => {
  it('is filled once', async () => {
    const folder = await cachedFolder('kafka', fill);
    expect(folder).toBe(join(home, 'evenkeel/kafka'));
    expect(await cachedFolder('kafka', fill)).toBe(folder);
    expect(contentOf(folder)).toBe('content');
    expect(fill).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['lost a file', (file: string) => rmSync(file)],
    ['a file cut short', (file: string) => truncateSync(file, 3)],
  ])('is filled anew when it has %s', async (_what, damage) => {
    const folder = await cachedFolder('kafka', fill);
    damage(join(folder, 'a.jar'));
    expect(contentOf(await cachedFolder('kafka', fill))).toBe('content');
  });

  it('is whole for all who fill it at once, and nothing else stays', async () => {
    const folders = await Promise.all(Array.from({ length: 5 }, () => cachedFolder('kafka', fill)));
    expect(folders.map(contentOf)).toEqual(folders.map(() => 'content'));
    expect(readdirSync(join(home, 'evenkeel'))).toEqual(['kafka']);
  });

  it('does not exist when filling fails', async () => {
    const failing = cachedFolder('kafka', () => Promise.reject(new Error('no network')));
    await expect(failing).rejects.toThrow('no network');
    expect(readdirSync(join(home, 'evenkeel'))).toEqual([]);
  });
});
