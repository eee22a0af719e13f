import { civilDate, dayNumber } from '@evenkeel/scoring';
import { strToU8, zipSync } from 'fflate';
import { habitsByChance, Workplace } from './backtest.fixture';

let workplace: Workplace;
beforeEach(() => (workplace = new Workplace()));
afterEach(() => workplace.remove());

/** Daily values from a day on. */
function csvOf(values: readonly string[], habit = 'Run', first = '2026-01-01'): string[] {
  return values.map((value, day) => `${habit},${civilDate(dayNumber(first) + day)},${value}`);
}

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

it.each<[content: string, string | Uint8Array, sentence: string]>([
  ['nothing', '', 'The file is empty.'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'none of the kinds'],
  ['another table', 'a,b,c\n1,2,3\n', 'habit,date,value or task,time,ok'],
  ['one huge line', 'x'.repeat(5_000_000), 'a line of more than 1,000,000 characters'],
])('ends with 2 and a sentence on %s', async (_, content, sentence) => {
  const { code, out, err } = await workplace.run(workplace.file('bad', content));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err).not.toMatch(/\n\s+at /);
});

it.each([
  [[], 'Name a file'],
  [['missing.csv'], 'ENOENT'],
  [['/dev/zero'], 'is not a file'],
  [['--sample', 'mine'], '--sample must be one of calibrated'],
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
    expect((await workplace.backtest(content)).overall.scores).toBeNull();
    const { code, out } = await workplace.run(workplace.file('few.csv', content));
    expect(code).toBe(0);
    expect(out).toContain('Too little to judge');
    expect(out).toContain('at least 100 forecasts, with 10 lapses and as many times none');
  }
});

it('draws stretches of days where habits are few, and says so', async () => {
  const own = habitsByChance([{ name: 'Run', perWeek: 7, chance: 0.5 }]);
  const { intervals, overall } = await workplace.backtest(own);
  expect(intervals.unit).toEqual({ whole: false, length: 28 });
  expect(overall.scores!.by.engine.brier.low).not.toBeNull();
  const { out } = await workplace.run(workplace.file('one.csv', own));
  expect(out).toContain('stretches of 28 days of one habit');
});

it('prints no name as a command to the terminal', async () => {
  const zip = zipSync({
    'Habits.csv': strToU8('Name,FrequencyNumerator,FrequencyDenominator\n\u001b[2JRun\u202e,1,1\n'),
    '001 \u001b[2JRun\u202e/Checkmarks.csv': strToU8('soon,2\n'),
  });
  const { out, err } = await workplace.run(workplace.file('evil.zip', zip));
  expect(out + err).toContain('·[2JRun·');
  expect(out + err).not.toMatch(/[\u001b\u202e]/);
});
