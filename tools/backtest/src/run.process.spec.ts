import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@evenkeel/kernel/random';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import { strToU8, zipSync } from 'fflate';
import type { Backtest } from './backtest';
import { run } from './run';
import type { Measure } from './scores';
import { calibratedTasks } from './walk-task';

const folder = mkdtempSync(join(tmpdir(), 'backtest-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The command line, on 20 November 2026. */
async function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await run(args, Date.UTC(2026, 10, 20, 12), streams);
  return { code, out, err };
}

/** It with a file of this content. */
function read(content: string | Uint8Array, ...options: string[]) {
  const path = join(folder, 'given');
  writeFileSync(path, content);
  return command(path, ...options);
}

async function backtest(content: string | Uint8Array): Promise<Backtest> {
  const { out, err } = await read(content, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Backtest;
}

/** A CSV file of habits that are done by chance on every day, whatever came before. */
function habitsByChance(count: number, chance = 0.5, days = 500): string {
  const random = new Random(1);
  const lines = Array.from({ length: count * days }, (_, at) => {
    const date = civilDate(dayNumber('2024-01-01') + (at % days));
    return `Habit ${Math.floor(at / days)},${date},${random.ratio() < chance ? 'yes' : 'no'}`;
  });
  return ['habit,date,value', ...lines, ''].join('\r\n');
}

/** Nothing can be known of them. */
const COINS = habitsByChance(24);

function expectWithin({ low, high }: Measure, truth: number): void {
  expect(low).toBeLessThanOrEqual(truth);
  expect(high).toBeGreaterThanOrEqual(truth);
}

it('a calibrated file has the truth within every interval, and is made again by the same seed', async () => {
  const { code, out: sample } = await command('--sample', 'calibrated', '--seed', '1');
  expect([code, sample]).toEqual([0, calibratedTasks(1)]);
  expect(calibratedTasks(2)).not.toBe(sample);
  const { overall } = await backtest(sample);
  const { bias, tenths } = overall.scores!;
  expectWithin(bias, 0);
  for (const tenth of tenths) expectWithin(tenth.observed!, tenth.meanForecast!);
  const { out } = await read(sample);
  expect(out).toContain('The level fits');
  expect(out).toContain('was better than the share passed so far');
});

it('a shift halfway shows in the periods', async () => {
  const lines = COINS.split('\r\n').map((line) =>
    /,2024-0[1-8]/.test(line) ? line.replace(/,no$/, ',yes') : line.replace(/,yes$/, ',no'),
  );
  const { byPeriod } = await backtest(lines.join('\n'));
  const shares = byPeriod.map(({ events, forecasts }) => events / forecasts);
  expect([shares.length, shares[0], shares.at(-1)]).toEqual([8, 0, 1]);
});

it('chance has an AUC of about a half, and is said to be chance', async () => {
  const { auc } = (await backtest(COINS)).overall.scores!.by.engine;
  expectWithin(auc, 0.5);
  expect(Math.abs(auc.value - 0.5)).toBeLessThan(0.03);
  expect((await read(COINS)).out).toContain('The order is no better than chance');
});

it('stretches of days are drawn where habits are few, and the text says so', async () => {
  const own = habitsByChance(1);
  const { intervals, overall } = await backtest(own);
  expect(intervals.unit).toEqual({ whole: false, length: 28 });
  expect(overall.scores!.by.engine.brier.low).not.toBeNull();
  expect((await read(own)).out).toContain('stretches of 28 days of one habit');
});

it.each([
  ['few days', 60, 0.5],
  ['never a lapse', 400, 1],
])('pretends no figure from too little: %s', async (_, days, chance) => {
  const { code, out } = await read(habitsByChance(1, chance, days));
  expect(code).toBe(0);
  expect(out).toContain('Too little to judge');
  expect(out).toContain('at least 100 forecasts, with 10 lapses and as many times none');
});

it('leaves out runs of tasks that are none, by their lines', async () => {
  const lines = [
    'task,time,ok',
    'Build,2026-01-01T07:00:00Z,yes',
    'Build,2026-01-01 08:00,passed',
    'Build,2026-01-01T09:00:00+02:00,0',
    'Build,2026-01-01,yes',
    'Build,2026-02-30T07:00:00Z,yes',
    'Build,2026-01-01T25:00:00Z,yes',
    'Build,1999-01-01T07:00:00Z,yes',
    'Build,2029-01-01T07:00:00Z,yes',
    'Build,2026-01-01T10:00:00Z,maybe',
    ',2026-01-01T10:00:00Z,yes',
  ];
  const { rejects, overall } = await backtest(lines.join('\r\n'));
  expect(overall).toMatchObject({ series: 1, forecasts: 2, events: 1 });
  expect(rejects.first.map(({ row, reason }) => `${row}: ${reason}`)).toEqual([
    'line 5: the time is not an instant such as 2026-01-31T07:00:00Z',
    'line 6: the time is not an instant such as 2026-01-31T07:00:00Z',
    'line 7: the time is not an instant such as 2026-01-31T07:00:00Z',
    'line 8: the time is before 2000-01-01',
    'line 9: the time is in the future',
    'line 10: ok is neither yes nor no, 1 nor 0, passed nor failed',
    'line 11: no name',
  ]);
});

it.each<[content: string, string | Uint8Array, sentence: string]>([
  ['nothing', '', 'The file is empty.'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'none of the kinds'],
  ['another table', 'a,b,c\n1,2,3\n', 'habit,date,value or task,time,ok'],
  ['one huge line', 'x'.repeat(5_000_000), 'a line of more than 1,000,000 characters'],
  [
    'no usable row',
    'habit,date,value\nRun,soon,yes\n',
    'Nothing of the file is left: no habits with a usable entry.\nLeft out: 1 entry\n  line 2: the date is not a day such as 2026-01-31\n',
  ],
])('ends with 2 and a sentence on %s', async (_, content, sentence) => {
  const { code, out, err } = await read(content);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err).not.toMatch(/\n\s+at /);
});

it.each([
  [[], 'Name a file'],
  [['missing.csv'], 'missing.csv is not a file'],
  [['/dev/zero'], 'is not a file'],
  [['--sample', 'mine'], "'--sample <name>' argument 'mine' is invalid. Allowed choices are calibrated."],
])('ends with 1 and a hint on %j', async (args, message) => {
  const { code, err } = await command(...args);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(err).toContain('npm run backtest -- --help');
});

it('prints no name as a command to the terminal', async () => {
  const zip = zipSync({
    'Habits.csv': strToU8('Name,FrequencyNumerator,FrequencyDenominator\n\u001b[2JRun\u202e,1,1\n'),
    '001 \u001b[2JRun\u202e/Checkmarks.csv': strToU8('soon,2\n'),
  });
  const { out, err } = await read(zip);
  expect(out + err).toContain('·[2JRun·');
  expect(out + err).not.toMatch(/[\u001b\u202e]/);
});
