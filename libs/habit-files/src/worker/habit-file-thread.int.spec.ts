import { gzipSync } from 'node:zlib';
import { readHabitFileInThread, type ReadHabit, writeHabitFile, writeHabitFileInThread } from '../index';
import { LAST_DAY, read } from '../read.fixture';
import { loopDatabase, zipOf } from '../loop/loop-files.fixture';

const options = { lastDay: LAST_DAY };

it('reads and writes what the caller would', async () => {
  const database = await loopDatabase(25);
  const file = await readHabitFileInThread(database, options);
  // The bytes stay usable.
  expect(file).toEqual(await read(database));
  async function* oneByOne(): AsyncGenerator<ReadHabit> {
    yield* file.habits;
  }
  const written = await writeHabitFileInThread('loop', oneByOne());
  expect(Buffer.compare(written, await writeHabitFile('loop', file.habits))).toBe(0);
});

it('refuses with the code and the sentence of the reader', async () => {
  await expect(readHabitFileInThread(Buffer.from('a,b\n'), options)).rejects.toMatchObject({
    ...{ name: 'UnreadableFile', code: 'columns_missing', kind: 'invalid' },
    message: expect.stringContaining('habit,date,value'),
  });
});

it('gives up what takes too long', async () => {
  const refused = readHabitFileInThread(manyLogs(), options, { timeoutMs: 1 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_long' });
});

it('fails as the caller who feeds it does', async () => {
  async function* failing(): AsyncGenerator<never> {
    throw new Error('no database');
  }
  await expect(writeHabitFileInThread('json', failing())).rejects.toThrow('no database');
});

const most = { limits: { fileBytes: 1e9, unpackedBytes: 1e9, rows: 1e9, habits: 1e9, logs: 1e9 } };

it('gives up what takes too much memory in the end', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `Habit ${at},2026-01-01,1`);
  const csv = Buffer.from(['habit,date,value', ...rows].join('\n'));
  const refused = readHabitFileInThread(csv, { ...options, ...most }, { heapMebibytes: 16, timeoutMs: 20_000 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_much_memory' });
});

it('gives up a text that the engine would end the process for', async () => {
  const rows = 'Run,2026-01-01,1\n'.repeat(5_000_000);
  const packed = gzipSync(`habit,date,value\n€${rows}`);
  const refused = readHabitFileInThread(packed, options, { timeoutMs: 20_000 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_much_memory' });
});

it('gives up what takes too much memory at once, and goes on with the next', async () => {
  const rows = Array.from({ length: 3_000_000 }, () => '2026-01-01,many').join('\n');
  const zip = zipOf({
    'Habits.csv': 'Name,FrequencyNumerator,FrequencyDenominator\nRun,1,1\n',
    '1 a/Checkmarks.csv': rows,
  });
  const refused = readHabitFileInThread(zip, { ...options, ...most }, { heapMebibytes: 16, timeoutMs: 20_000 });
  await expect(refused).rejects.toMatchObject({ code: 'took_too_much_memory' });
  expect((await readHabitFileInThread(zipOf({ 'Habits.csv': 'Name\n' }), options)).habits).toEqual([]);
});

it('leaves the caller free meanwhile', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  await readHabitFileInThread(manyLogs(), options);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

function manyLogs(): Uint8Array {
  const month = (at: number) => String((Math.floor(at / 400) % 12) + 1).padStart(2, '0');
  const lines = Array.from({ length: 90_000 }, (_, at) => `Habit ${at % 400},2025-${month(at)}-01,x`);
  return Buffer.from(['habit,date,value', ...lines].join('\n'));
}
