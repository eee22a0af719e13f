import { readFileSync } from 'node:fs';
import { FileApart, type FileLog, FileProcess, loopApart } from '../index';
import { LAST_DAY, read } from '../read.fixture';
import { loopDatabase, zipOf } from '../loop/loop-files.fixture';

jest.setTimeout(120_000);
const options = { lastDay: LAST_DAY };
const RUN = 'habit,date,value\nRun,2026-01-01,1\n';

async function all<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

async function* page<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

it('reads what the caller would, habit by habit', async () => {
  const database = await loopDatabase(25);
  const expected = await read(database);
  const apart = await FileApart.read(database, options);
  const { habits, ...file } = apart.file;
  expect({ ...file, habits: habits.map(({ logCount: _, ...habit }) => habit) }).toEqual({
    ...expected,
    habits: expected.habits.map(({ logs: _, ...habit }) => habit),
  });
  for (const [place, { logs }] of expected.habits.entries()) {
    const { count, pages } = await apart.missingLogs(place);
    expect([count, await all(pages)]).toEqual([logs.length, logs]);
  }
  apart.close();
});

it('gives the logs that are missing beside those that are known', async () => {
  const csv = `habit,date,value\n${days(600)
    .map((day) => `Run,${day},1`)
    .join('\n')}\n`;
  const apart = await FileApart.read(Buffer.from(csv), options);
  const logs = days(598).map((localDate) => ({ localDate, sourceId: null, occurredAt: `${localDate}T12:00:00.000Z` }));
  const { count, pages } = await apart.missingLogs(0, { sourceId: '1:Run', logs: page(logs) });
  expect([count, (await all<FileLog>(pages)).map(({ localDate }) => localDate)]).toEqual([2, days(600).slice(598)]);
  apart.close();
});

it('reads a habit that was done 100,000 times on one day in time', async () => {
  const completions = Array.from({ length: 100_000 }, () => '2026-01-05T08:00:00Z');
  const habits = [{ name: 'Drink', targetCompletions: 2, completions }];
  const apart = await FileApart.read(Buffer.from(JSON.stringify(habits)), options);
  const { pages } = await apart.missingLogs(0);
  expect(await all(pages)).toMatchObject([{ localDate: '2026-01-05', status: 'COMPLETED' }]);
  apart.close();
});

it('refuses a backup that would be too large before it takes the time to write it', async () => {
  const [habit] = (await read(RUN)).habits;
  const note = 'a'.repeat(1_024);
  const all = days(90_000);
  let asked = 0;
  async function* logs(): AsyncGenerator<readonly FileLog[]> {
    for (; asked < 90; asked++) {
      const page = all.slice(1_000 * asked, 1_000 * (asked + 1));
      yield page.map((localDate) => ({ ...habit!.logs[0]!, localDate, note }));
    }
  }
  const written = loopApart([{ ...habit!, dailyName: 'Run', logs: logs() }]);
  await expect(written).rejects.toMatchObject({ code: 'file_too_large' });
  expect(asked).toBeLessThan(90);
});

it('refuses with the code and the sentence of the reader', async () => {
  await expect(FileApart.read(Buffer.from('a,b\n'), options)).rejects.toMatchObject({
    name: 'UnreadableFile',
    code: 'columns_missing',
    kind: 'invalid',
    message: expect.stringContaining('habit,date,value'),
  });
});

it('gives up what takes too long', async () => {
  const refused = FileApart.read(Buffer.from(RUN), options, { timeoutMs: 0 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_long' });
});

it('ends with the signal of its caller, and fails with its reason', async () => {
  const gone = new AbortController();
  const apart = await FileApart.read(Buffer.from(RUN), options, { signal: gone.signal });
  gone.abort(new Error('nobody waits'));
  await expect(apart.missingLogs(0)).rejects.toThrow('nobody waits');
  await expect(FileApart.read(Buffer.from(''), options, { signal: gone.signal })).rejects.toThrow('nobody waits');
});

it('fails as the caller who feeds it does', async () => {
  async function* failing(): AsyncGenerator<never> {
    throw new Error('no database');
  }
  const [habit] = (await read(RUN)).habits;
  const fed = loopApart([{ ...habit!, dailyName: 'Run', logs: failing() }]);
  await expect(fed).rejects.toThrow('no database');
});

it('knows nothing of the settings of its caller', async () => {
  process.env['SECRET_OF_THE_CALLER'] = 'a secret';
  const child = new FileProcess();
  await child.ask('know', []);
  const { pid } = (child as unknown as { child: { pid: number } }).child;
  if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('a secret');
  child.close();
  delete process.env['SECRET_OF_THE_CALLER'];
});

const most = { limits: { fileBytes: 1e9, unpackedBytes: 1e9, rows: 1e9, habits: 1e9, logs: 1e9 } };

it.each([
  ['in the end', manyHabits],
  ['in rejects', manyRejects],
])('gives up what takes too much memory %s, and goes on with the next', async (_, file) => {
  const refused = FileApart.read(file(), { ...options, ...most }, { heapMebibytes: 16, timeoutMs: 60_000 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_much_memory' });
  const apart = await FileApart.read(zipOf({ 'Habits.csv': 'Name\n' }), options);
  expect(apart.file.habits).toEqual([]);
  apart.close();
});

function manyHabits(): Uint8Array {
  const rows = Array.from({ length: 60_000 }, (_, at) => `Habit ${at},2026-01-01,1`);
  return Buffer.from(['habit,date,value', ...rows].join('\n'));
}

function manyRejects(): Uint8Array {
  const habits = 'Name,FrequencyNumerator,FrequencyDenominator\nRun,1,1\n';
  return zipOf({ 'Habits.csv': habits, '1 a/Checkmarks.csv': '2026-01-01,many\n'.repeat(3_000_000) });
}

/** From 2024-01-01 on. */
function days(count: number): string[] {
  return Array.from({ length: count }, (_, at) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10));
}
