import { gzipSync } from 'node:zlib';
import { dayNumber, historyStats } from '@evenkeel/scoring';
import { fieldFile } from '../cases.fixture';
import type { ReadHabit } from '../habit-file';
import { habitsIn, read, refusalOf } from '../read.fixture';
import { zipOf } from './loop-files.fixture';

/** Of each habit, how many logs of each status it has. */
async function countsIn(content: string | Uint8Array): Promise<Record<string, Record<string, number>>> {
  const { habits } = await read(content);
  return Object.fromEntries(
    habits.map(({ name, logs }) => {
      const counts: Record<string, number> = {};
      for (const { status } of logs) counts[status] = (counts[status] ?? 0) + 1;
      return [name, counts];
    }),
  );
}

describe('an export of Loop', () => {
  it('whose folders are numbers alone, as names without latin letters make them, has all marks', async () => {
    expect(await countsIn(fieldFile('loop-names.zip'))).toEqual({
      'Бег по утрам': { COMPLETED: 14 },
      Read: { COMPLETED: 10 },
      跑步: { COMPLETED: 7, SKIPPED: 7 },
    });
    expect((await read(fieldFile('loop-names.zip'))).rejects).toEqual([]);
  });

  it('of one chosen habit brings that one, and says that it leaves the others out', async () => {
    const { habits, notes, rejects } = await read(fieldFile('loop-selected.zip'));
    expect(habits).toMatchObject([{ name: 'Run', archived: false, order: 4, color: '#00897b' }]);
    expect([habits[0]!.logs.length, rejects]).toEqual([14, []]);
    expect(notes).toEqual([
      'Habits left out, of which the zip has the names and no marks, not being chosen for it: 4.',
    ]);
  });

  it('with its folder around it is the same export', async () => {
    expect(await countsIn(fieldFile('loop-folder.zip'))).toEqual({ Read: { COMPLETED: 14 } });
    expect((await read(fieldFile('loop-folder.zip'))).notes).toEqual([]);
  });

  it('as a zip whose data look like headers is read as its directory says', async () => {
    const { habits } = await read(fieldFile('loop-magic-dd.zip'));
    expect(habits[0]!.logs).toMatchObject([{ localDate: '2026-01-05', note: expect.stringMatching(/^look: PK/) }]);
  });

  const HEAD = 'Position,Name,Type,FrequencyNumerator,FrequencyDenominator,Archived?\n';
  const LIST = `${HEAD}001,Read,YES_NO,1,1,false\n002,🏃‍♀️ Run,YES_NO,1,1,false\n`;
  const MARKS = 'Date,Value,Notes\n2026-01-05,YES_MANUAL,\n';

  it.each<[string, string[]]>([
    ['numbers alone', ['001', '002']],
    ['numbers without noughts', ['1', '2 Run']],
    ['underscores', ['001_Read', '002_Run']],
    ['a folder around', ['My export/001 Read', 'My export/002 Run']],
    ['two folders around', ['a/b/001 Read', 'a/b/002 Run']],
    ['backslashes', ['Export\\001 Read', 'Export\\002 Run']],
    ['names without numbers', ['Read', 'Run']],
  ])('is read with %s for folders', async (_, folders) => {
    const root = folders[0]!.replace(/(001 |001_|001|1|)(Read)?$/, '');
    const zip = zipOf({
      [`${root}Habits.csv`]: LIST,
      ...Object.fromEntries(
        folders.map((folder) => [`${folder}${root.includes('\\') ? '\\' : '/'}Checkmarks.csv`, MARKS]),
      ),
    });
    expect(await countsIn(zip)).toEqual({ Read: { COMPLETED: 1 }, '🏃‍♀️ Run': { COMPLETED: 1 } });
  });

  it('without the marks of any habit is refused, and one of two exports is asked for', async () => {
    expect(await refusalOf(zipOf({ 'Habits.csv': LIST }))).toContain('has the marks of none');
    const two = zipOf({ 'a/Habits.csv': LIST, 'b/Habits.csv': LIST });
    expect(await refusalOf(two)).toContain('several files that may be habits (a/Habits.csv, b/Habits.csv)');
  });

  it('names other files of its zip that it does not read', async () => {
    const zip = zipOf({ 'Habits.csv': LIST, '001/Checkmarks.csv': MARKS, 'plan.docx': 'x', 'more/days.csv': 'x' });
    const { notes } = await read(zip);
    expect(notes.slice(1)).toEqual(['Not read: more/days.csv.', 'Files of the zip that were not read: plan.docx.']);
  });
});

describe('a backup of Loop', () => {
  const backup = () => fieldFile('loop-backup.db.zip');

  it.each<[string, () => Uint8Array]>([
    ['a zip', backup],
    ['a zip of a zip', () => zipOf({ 'mail/backup.zip': backup() })],
    ['a gzip of a zip', () => gzipSync(backup())],
    ['a zip of a gzip', () => zipOf({ 'backup.db.gz': gzipSync(fieldFile('loop-onechar.db')) })],
  ])('is read from %s', async (_, make) => {
    expect(await countsIn(make())).toEqual({ Read: { COMPLETED: 14 } });
  });

  it('at most 5 a day: 13 days kept, one in part', async () => {
    const { habits } = await habitsIn(fieldFile('loop-atmost.db'));
    const { logs } = habits.get('Cigarettes')!;
    expect(logs.filter((log) => log.endsWith(' C'))).toHaveLength(13);
    expect(logs.filter((log) => !log.endsWith(' C'))).toEqual(['01-16 P 0.625']);
  });

  it('counted over weeks and months has the weeks that its numbers make', async () => {
    const { habits } = await read(fieldFile('loop-weekly.db'));
    expect(habits.map((habit) => [habit.name, weeksOf(habit)])).toEqual([
      ['Run 6 km a week', Array.from({ length: 6 }, () => 'kept')],
      ['Sweets at most 4 a week', Array.from({ length: 6 }, () => 'missed')],
      ['Cycle 100 km a month', Array.from({ length: 6 }, () => 'kept')],
    ]);
  });

  it('says of logs that their habit was refused, and why', async () => {
    const { habits, rejects, rejected } = await read(fieldFile('loop-onechar.db'));
    expect(habits.map(({ name, logs }) => [name, logs.length])).toEqual([['Read', 14]]);
    expect(rejected).toEqual({ habits: 2, logs: 17 });
    const reasons = rejects.filter(({ row }) => row.startsWith('Repetitions')).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['its habit was refused: a name of fewer than 2 characters']));
  });
});

/** The state of each whole week, Monday to Sunday, from the first log on. */
function weeksOf({ start, ...habit }: ReadHabit): string[] {
  const to = dateAfter(habit.logs.at(-1)!.localDate, 7);
  const { weeks } = historyStats({ ...habit, startDate: start }, { from: '2026-01-05', to, today: to });
  return weeks!.slice(0, 6).map(({ state }) => state);
}

function dateAfter(date: string, days: number): string {
  return new Date((dayNumber(date) + days) * 86_400_000).toISOString().slice(0, 10);
}
