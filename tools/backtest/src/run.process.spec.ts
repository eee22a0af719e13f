import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import { Workplace } from './backtest.fixture';
import { Random } from '@evenkeel/kernel/random';
import { readHabitFile } from '@evenkeel/habit-files';
import { writeHabitFile } from '@evenkeel/habit-files/testing';
import { strToU8, zipSync } from 'fflate';
import { SAMPLES } from './samples/samples';

let workplace: Workplace;
beforeEach(() => (workplace = new Workplace()));
afterEach(() => workplace.remove());

/** Daily values from a day on. */
function csvOf(values: readonly string[], habit = 'Run', first = '2026-01-01'): string[] {
  return values.map((value, day) => `${habit},${civilDate(dayNumber(first) + day)},${value}`);
}

const mistakes = [
  'habit,date,value',
  'Run,2026-01-01,yes',
  'Run,2026-01-02',
  'Run,2026-01-01,yes',
  'Run,2026-02-30,yes',
  'Run,01/05/2026,yes',
  'Run,1999-12-31,yes',
  'Run,2030-01-01,yes',
  'Run,2026-01-03,perhaps',
  'Run,2026-01-03,2',
  'Run,2026-01-03,-1',
  'Run,2026-01-03,NaN',
  ',2026-01-03,yes',
  '=1+1,2026-01-03,maybe',
  'Run,=TODAY(),yes',
  'Run,2026-01-03,=1',
  '"Run,2026-01-03,yes',
  '"Run"x,2026-01-03,yes',
  `${'n'.repeat(300)},2026-01-03,yes`,
  `${'n'.repeat(20_000)},2026-01-03,yes`,
  'R\uFFFDn,2026-01-03,yes',
  'Run,2026-01-04,no',
];

it('rejects every mistake by its line, and goes on', async () => {
  const file = Buffer.from(mistakes.join('\n').replace('\uFFFD', '\xff'), 'latin1');
  const { rejects } = await workplace.backtest(file);
  expect(rejects.first.map(({ row, reason }) => `${row}: ${reason}`)).toEqual([
    'line 3: 2 cells where 3 belong',
    'line 4: a second entry of the habit for this day',
    'line 5: the date is not a day such as 2026-01-31',
    'line 6: the date is not a day such as 2026-01-31',
    'line 7: the day is before 2000-01-01',
    'line 8: the day is in the future',
    'line 9: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 10: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 11: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 12: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 13: no name',
    'line 14: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 15: the date is not a day such as 2026-01-31',
    'line 16: the value is neither 0 to 1 nor yes, done, x, skip or no',
    'line 17: text after a closed quote',
    'line 18: text after a closed quote',
    'line 19: a name of more than 120 characters',
    'line 20: the line is too long',
    'line 21: the line is not UTF-8',
  ]);
  const { code, out } = await workplace.run(workplace.file('mistakes.csv', file));
  expect(code).toBe(0);
  expect(out).toContain('Left out: 19 entries\n  line 3: 2 cells where 3 belong\n');
});

it('rejects runs of tasks likewise', async () => {
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
  const { rejects, overall } = await workplace.backtest(lines.join('\r\n'));
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

it('ends with 2 and the reasons when nothing is left', async () => {
  const { code, out, err } = await workplace.run(workplace.file('a.csv', 'habit,date,value\nRun,soon,yes\n'));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(
    'Nothing of the file is left: no habits with a usable entry.\nLeft out: 1 entry\n  line 2: the date is not a day such as 2026-01-31\n',
  );
});

it.each<[string, string | Uint8Array, string]>([
  ['nothing', '', 'The file is empty.'],
  ['UTF-16', Buffer.from('\uFEFFhabit,date,value\n', 'utf16le'), 'UTF-16'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'none of the kinds'],
  ['semicolons', 'habit;date;value\nRun;2026-01-01;yes\n', 'not separated by commas'],
  ['another table', 'a,b,c\n1,2,3\n', 'does not name the columns'],
  ['a database that breaks off', Buffer.from('SQLite format 3\0'), 'cannot be read'],
  ['a zip that breaks off', Buffer.from('PK\x03\x04'), 'cut short'],
  ['one huge line', 'x'.repeat(5_000_000), 'a line of more than 1,000,000 characters'],
  ['quotes alone', '"'.repeat(2_000_000), 'a line of more than 1,000,000 characters'],
  [
    'too many habits',
    `habit,date,value\n${Array.from({ length: 501 }, (_, i) => `H${i},2026-01-01,x\n`).join('')}`,
    '500 habits',
  ],
])('ends with 2 and a sentence on %s', async (_, content, sentence) => {
  const { code, out, err } = await workplace.run(workplace.file('bad', content));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err).not.toMatch(/\n\s+at /);
});

it.each([
  [[], 'Name a file'],
  [['a', 'b'], 'One file at a time'],
  [['missing.csv'], 'ENOENT'],
  [['/'], 'is not a file'],
  [['/dev/zero'], 'is not a file'],
  [['--sample', 'mine'], '--sample must be one of calibrated, habits, shift, random'],
  [['a', '--seed', '-1'], '--seed'],
  [['a', '--fast'], 'Unknown option'],
])('ends with 1 and a hint on %j', async (args, message) => {
  const { code, err } = await workplace.run(...args);
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(err).toContain('npm run backtest -- --help');
});

it('pretends no figure from too little', async () => {
  const few = csvOf(Array.from({ length: 60 }, (_, day) => (day % 2 ? 'yes' : 'no')));
  const never = csvOf(Array.from({ length: 400 }, () => 'yes'));
  for (const lines of [few, never]) {
    const content = ['habit,date,value', ...lines].join('\n');
    const { overall, drift } = await workplace.backtest(content);
    expect({ scores: overall.scores, drift }).toEqual({ scores: null, drift: null });
    const { code, out } = await workplace.run(workplace.file('few.csv', content));
    expect(code).toBe(0);
    expect(out).toContain('Too little to judge');
    expect(out).toContain('at least 100 forecasts, with 10 lapses and as many times none');
    expect(out).not.toMatch(/AUC \d/);
  }
});

it('draws stretches of days where habits are few, and says so', async () => {
  const [habit] = SAMPLES.habits(1).csv.split('\r\n').slice(1);
  const name = habit!.slice(0, habit!.lastIndexOf('",'));
  const own = SAMPLES.habits(1)
    .csv.split('\r\n')
    .filter((line, at) => at === 0 || line.includes('"7 a week, number 4"'));
  expect(name).toContain('7 a week');
  const { intervals, overall } = await workplace.backtest(own.join('\n'));
  expect(intervals.unit).toEqual({ whole: false, length: 28 });
  expect(overall.scores!.by.engine.brier.low).not.toBeNull();
  const { out } = await workplace.run(workplace.file('one.csv', own.join('\n')));
  expect(out).toContain('stretches of 28 days of one habit');
});

it('reads a Loop database and a Loop zip by their content', async () => {
  const { habits } = await readHabitFile(Buffer.from('habit,date,value\nRun,2026-01-05,yes'), {
    lastDay: '2026-01-06',
  });
  const database = await writeHabitFile('loop', habits);
  expect(await workplace.backtest(database)).toMatchObject({ format: 'Loop database', subject: 'habits' });
  const zip = zipSync({
    'Habits.csv': strToU8('Name,FrequencyNumerator,FrequencyDenominator\nRun,1,1\n'),
    '001 Run/Checkmarks.csv': strToU8('2026-01-05,2\n'),
  });
  expect(await workplace.backtest(zip)).toMatchObject({ format: 'Loop zip', subject: 'habits' });
});

it('prints the same for the same file and seed, and other intervals for another seed', async () => {
  const { csv } = SAMPLES.habits(1);
  const [one, again, other] = [
    await workplace.backtest(csv),
    await workplace.backtest(csv),
    await workplace.backtest(csv, '--seed', '2'),
  ];
  expect(again).toEqual(one);
  const brier = ({ overall }: typeof one) => overall.scores!.by.engine.brier;
  expect(brier(other).value).toBe(brier(one).value);
  expect(brier(other).low).not.toBe(brier(one).low);
});

it('prints no name as a command to the terminal', async () => {
  const lines = SAMPLES.random(1).csv.replaceAll('Coin', '\u001b[2JCoin\u202e');
  const { out } = await workplace.run(workplace.file('evil.csv', lines));
  expect(out).toContain('·[2JCoin·');
  expect(out).not.toMatch(/[\u001b\u202e]/);
});

it('walks through ten years of fifty habits, and says how far it is', async () => {
  const random = new Random(1);
  const days = 3_650;
  const lines = ['habit,date,value,per_week'];
  for (let habit = 0; habit < 50; habit++) {
    const perWeek = [7, 7, 5, 3, 1][habit % 5]!;
    for (let day = 0; day < days; day++) {
      const value = random.ratio() < perWeek / 8 ? 'yes' : 'no';
      lines.push(`Habit ${habit},${civilDate(dayNumber('2016-01-01') + day)},${value},${perWeek}`);
    }
  }
  const file = workplace.file('ten-years.csv', lines.join('\n'));
  const { code, out } = await workplace.run(file);
  expect([code, out]).toEqual([0, expect.stringContaining('of 50 habits from 2016-01-02')]);
  expect(workplace.progress).toContain('walking through 50 of 50 habits');
}, 120_000);

it('is a command with a help', () => {
  const args = [
    '--conditions=@evenkeel/source',
    '--require',
    '@swc-node/register',
    join(__dirname, 'main.ts'),
    '--help',
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: join(__dirname, '../../..') });
  expect(status).toBe(0);
  expect(stdout).toContain('npm run backtest -- <file> [options]');
});
