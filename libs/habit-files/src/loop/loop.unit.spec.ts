import { habitsIn, read, refusalOf, rejectsOf } from '../read.fixture';
import { LOOP_ZIP, loopDatabase, streamedZipOf, zipOf } from './loop-files.fixture';

describe('a Loop database', () => {
  it('is read with every kind of habit', async () => {
    const { format, habits, rejects, notes } = await habitsIn(await loopDatabase(25));
    expect({ format, rejects }).toEqual({ format: 'loop-database', rejects: [] });
    expect(habits.get('Walk')!.logs).toEqual(['01-05 C', '01-06 C', '01-08 S', '01-11 C']);
    expect(habits.get('Pages')!.logs).toEqual(['01-05 C', '01-06 P 0.25', '01-07 P 0', '01-09 S']);
    expect(habits.get('Coffee')!.logs).toEqual(['01-05 C', '01-06 P 0.5']);
    const weekly = [...habits.values()].filter(({ cadence }) => cadence === 'WEEKLY');
    expect(weekly.map(({ name, targetPerWeek }) => `${name} ${targetPerWeek}`)).toEqual([
      'Swim 3',
      'Call home 1',
      'Water plants 1',
      'Budget 1',
    ]);
    expect(habits.get('Old one')!.archived).toBe(true);
    expect(notes).toEqual([
      '"Water plants" is due 1 in 10 days: read as 1 a week, which is more often: its record looks worse here than it is.',
      '"Budget" is due 2 in 30 days: read as 1 a week, which is more often: its record looks worse here than it is.',
      '"Pages" counts: its numbers are read as shares of the target, at least 20 pages; half of it keeps a streak here.',
      '"Coffee" counts: its numbers are read as shares of the target, at most 2; half of it keeps a streak here.',
      'Reminders left out: 1.',
      'Days marked as not done, which are days without a log here: 1.',
      'Days filled in by how often their habit is due, which are days without a log here: 1.',
      'Days marked as unknown, which are days without a log here: 2.',
    ]);
  });

  it('has texts, notes and the days between which it knows what was done', async () => {
    const [walk] = (await read(await loopDatabase(25))).habits;
    expect(walk).toMatchObject({
      sourceId: '1:Walk',
      start: '2026-01-05',
      description: 'Did you walk?\n\nround the lake',
      observed: { from: '2026-01-05', to: '2026-01-11' },
    });
    expect(walk!.logs[0]).toMatchObject({
      localDate: '2026-01-05',
      sourceId: '1:Walk/2026-01-05',
      occurredAt: null,
      note: 'in the rain',
    });
  });

  it.each([9, 12, 15, 16, 22, 24, 25])('of version %d is read by the columns that are there', async (version) => {
    const { habits, rejects } = await habitsIn(await loopDatabase(version));
    expect(rejects).toEqual([]);
    expect(habits.get('Swim')!.logs).toEqual(['01-05 C', '01-07 C']);
    expect([...habits.keys()]).toHaveLength(version < 16 ? 7 : 9);
    expect(habits.get('Walk')!.logs).toEqual(
      version < 10 ? ['01-05 C', '01-06 C', '01-11 C'] : ['01-05 C', '01-06 C', '01-08 S', '01-11 C'],
    );
  });

  it('of a newer version is read, and says so', async () => {
    const { habits, notes } = await read(await loopDatabase(31));
    expect(habits).toHaveLength(9);
    expect(notes[0]).toBe('The backup has version 31, newer than any known; its columns fit.');
  });

  it('that was written ahead, or in small letters, is read', async () => {
    const ahead = Uint8Array.from(await loopDatabase(25));
    ahead[18] = ahead[19] = 2;
    expect((await read(ahead)).habits).toHaveLength(9);
    const small = await loopDatabase(25, 'ALTER TABLE Habits RENAME TO x; ALTER TABLE x RENAME TO habits');
    expect((await read(small)).habits).toHaveLength(9);
  });

  it('of old versions has rows that cannot be used, each with its reason', async () => {
    const extra = `INSERT INTO Repetitions (id, habit, timestamp, value) VALUES (101, 99, 1767571200000, 2), (102, 1, NULL, 2),
      (103, 1, 1767571200000, 2), (104, 1, 1768000000000, 77), (105, NULL, 1767571200000, 2), (106, 1, 9999999999999, 2),
      (107, 1, -1, 2), (108, 1, 1e300, 2), (109, 1, 'soon', 2), (110, 1, 1768000000000, x'00');
      INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (50, NULL, 1, 1), (51, 'Never', 0, 0), (52, 'x', 1, 1),
      (53, '${'n'.repeat(121)}', 1, 1), (54, 'NUL ' || char(0) || 'in it', 1, 1)`;
    const { rejects, rejected } = await habitsIn(await loopDatabase(15, extra));
    expect(rejected).toEqual({ habits: 5, logs: 10 });
    expect(rejects).toEqual([
      'Habits, id 50: no name',
      'Habits, id 51: no frequency',
      'Habits, id 52: a name of fewer than 2 characters',
      'Habits, id 53: a name of more than 120 characters',
      'Habits, id 54: the name holds characters that cannot be kept',
      'Repetitions, id 101: its habit is not in the file',
      'Repetitions, id 102: no timestamp',
      'Repetitions, id 103: a second entry of the habit for this day',
      'Repetitions, id 104: the value 77 means nothing',
      'Repetitions, id 105: its habit is not in the file',
      'Repetitions, id 106: the day is in the future',
      'Repetitions, id 107: the day is before 2000-01-01',
      'Repetitions, id 108: the day is in the future',
      'Repetitions, id 109: no timestamp',
      'Repetitions, id 110: the value of bytes means nothing',
    ]);
  });

  it('tells what it cut off or left out of texts', async () => {
    const extra = `UPDATE Habits SET description = printf('%.600c', 'd') WHERE id = 2;
      UPDATE Repetitions SET notes = 'a' || char(0) WHERE habit = 2; UPDATE Repetitions SET notes = 'why not' WHERE value = 0`;
    const { habits, notes } = await read(await loopDatabase(25, extra));
    expect(habits[1]!.description).toHaveLength(512);
    expect(habits[1]!.logs.map(({ note }) => note)).toEqual(['a\uFFFD', 'a\uFFFD']);
    expect(notes.slice(-3)).toEqual([
      'Texts that were longer than can be kept, with the rest cut off: 1.',
      'Texts with characters that cannot be kept, each of which became \uFFFD: 2.',
      'Notes left out, being of days without a log: 1.',
    ]);
  });

  it.each([
    ['before version 9', () => loopDatabase(8), 'loop_version_unknown: The backup has version 8'],
    ['of something else', () => loopDatabase(25, 'DROP TABLE Repetitions'), 'no table Repetitions'],
    ['without a column', () => loopDatabase(25, 'ALTER TABLE Habits DROP COLUMN freq_num'), 'no column freq_num'],
    ['whose table counts to infinity', endlessView, 'no table Repetitions'],
    ['of too many habits', () => loopDatabase(25, manyHabits(600)), 'too_many_habits: The file holds more than 500'],
  ])('%s ends in a sentence', async (_, make, sentence) => {
    expect(await refusalOf(await make())).toContain(sentence);
  });

  function manyHabits(count: number): string {
    return `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
      INSERT INTO Habits (name, freq_num, freq_den) SELECT 'Habit ' || i, 1, 1 FROM n`;
  }

  function endlessView(): Promise<Uint8Array> {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
    const view = `CREATE VIEW Repetitions AS ${endless} SELECT i id, 1 habit, 0 timestamp FROM n`;
    return loopDatabase(25, `DROP TABLE Repetitions; ${view}`);
  }
});

describe('a Loop zip', () => {
  it.each([
    ['with sizes before the data', zipOf],
    ['with sizes after the data', streamedZipOf],
  ])('%s is read', async (_, pack) => {
    const { format, habits, rejects } = await habitsIn(pack(LOOP_ZIP));
    expect({ format, rejects }).toEqual({ format: 'loop-zip', rejects: [] });
    expect(habits.get('Walk, far')).toMatchObject({
      logs: ['01-08 S', '01-05 C'],
      start: '2026-01-05',
      targetDaysMask: 127,
      sourceId: '1:Walk, far',
      observed: { from: '2026-01-05', to: '2026-01-08' },
      description: 'Did you walk?',
    });
    expect(habits.get('Pages')!.logs).toEqual(['01-06 P 0.25', '01-05 C']);
    // Old numbers without a header; what was only filled in is no entry.
    expect(habits.get('Swim')).toMatchObject({ targetPerWeek: 3, archived: true, logs: ['01-07 C', '01-04 C'] });
  });

  it('tells what it leaves out', async () => {
    const files = {
      ...LOOP_ZIP,
      'Habits.csv': `${LOOP_ZIP['Habits.csv']}\n002,Pages,YES_NO,,,1,1\n004,Bad,YES_NO,,,x,1\n`,
      '009 Gone/Checkmarks.csv': '',
      '003 Swim/Checkmarks.csv': '2026-13-01,2\n2026-01-01,many\n',
      'inner.zip': 'PK',
    };
    expect(rejectsOf(await read(zipOf(files))).sort()).toEqual([
      '003 Swim/Checkmarks.csv, line 1: the date is not a day such as 2026-01-31',
      '003 Swim/Checkmarks.csv, line 2: the value means nothing',
      '009 Gone/Checkmarks.csv: its habit is not in Habits.csv',
      'Habits.csv, line 5: a second habit of this position',
      'Habits.csv, line 6: no frequency',
    ]);
  });
});
