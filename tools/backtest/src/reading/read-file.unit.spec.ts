import { dayNumber } from '@evenkeel/scoring';
import { LOOP_ZIP, loopDatabase, streamedZipOf, zipOf } from './loop-files.fixture';
import { readFile } from './read-file';
import { Rejects } from './rejects';

const today = dayNumber('2026-11-20');

async function read(content: string | Uint8Array) {
  const rejects = new Rejects();
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const file = await readFile(bytes, { rejects, today });
  return { file, rejects: rejects.first.map(({ where, reason }) => `${where}: ${reason}`) };
}

async function habitsOf(content: string | Uint8Array) {
  const { file, rejects } = await read(content);
  if (file.subject !== 'habits') throw new Error('tasks');
  const habits = Object.fromEntries(
    file.habits.map(({ name, kind, history, lastDay, frequency }) => [
      name,
      {
        ...{ kind, start: history.startDate, frequency, known: lastDay - dayNumber(history.startDate) + 1 },
        perWeek: history.targetPerWeek,
        logs: history.logs.map(({ localDate, status, completionRate }) =>
          [localDate.slice(5), status[0], completionRate].filter((part) => part !== undefined).join(' '),
        ),
      },
    ]),
  );
  return { habits, rejects, notes: file.notes };
}

describe('a Loop database', () => {
  it('is read with every kind of habit', async () => {
    const { habits, rejects } = await habitsOf(await loopDatabase(25));
    expect(rejects).toEqual([]);
    expect(habits['Walk']!.logs).toEqual(['01-05 C', '01-06 C', '01-08 S', '01-11 C']);
    expect(habits['Pages']!.logs).toEqual(['01-05 C', '01-06 P 0.25', '01-07 P 0']);
    expect(habits['Coffee']!.logs).toEqual(['01-05 C', '01-06 P 0.5']);
    const kinds = Object.entries(habits).map(([name, { kind, perWeek }]) => [name, kind, perWeek]);
    expect(kinds).toEqual([
      ['Walk', 'every day', 7],
      ['Swim', '3 times a week', 3],
      ['Call home', 'once a week', 1],
      ['Stretch', 'every day', 7],
      ['Water plants', 'every 10 days', 1],
      ['Budget', '2 times a month', 1],
      ['Pages', 'every day', 7],
      ['Coffee', 'every day', 7],
      ['Old one', 'every day', 7],
    ]);
    // Up to the newest entry of the file; an archived habit up to its own.
    expect([habits['Swim']!.known, habits['Old one']!.known]).toEqual([7, 1]);
  });

  it.each([9, 15, 16, 22, 24, 25])('of version %d is read by the columns that are there', async (version) => {
    const { habits, notes } = await habitsOf(await loopDatabase(version));
    expect(habits['Swim']!.logs).toEqual(['01-05 C', '01-07 C']);
    expect('Pages' in habits).toBe(version >= 16);
    expect(notes).toEqual([]);
  });

  it('of a newer version is read, and says so', async () => {
    const { habits, notes } = await habitsOf(await loopDatabase(31));
    expect(Object.keys(habits)).toHaveLength(9);
    expect(notes).toEqual(['The backup has version 31, newer than any known; its columns fit.']);
  });

  it('of old versions has rows that cannot be used, each with its reason', async () => {
    const extra = `INSERT INTO Repetitions (id, habit, timestamp, value) VALUES (101, 99, 1767571200000, 2), (102, 1, NULL, 2),
      (103, 1, 1767571200000, 2), (104, 1, 1768000000000, 77), (105, NULL, 1767571200000, 2), (106, 1, 9999999999999, 2);
      INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (50, NULL, 1, 1), (51, 'Never', 0, 0)`;
    const { rejects } = await habitsOf(await loopDatabase(15, extra));
    expect(rejects).toEqual([
      'Habits, id 50: no name',
      'Habits, id 51: no frequency',
      'Repetitions, id 101: its habit is not in the file',
      'Repetitions, id 102: no timestamp',
      'Repetitions, id 103: a second entry of the habit for this day',
      'Repetitions, id 104: the value 77 means nothing',
      'Repetitions, id 105: its habit is not in the file',
      'Repetitions, id 106: the day is in the future',
    ]);
  });

  it.each([
    ['before version 9', () => loopDatabase(8), 'version 8: what those before 9 mean is not known'],
    ['of something else', () => loopDatabase(25, 'DROP TABLE Repetitions'), 'no table Repetitions'],
    ['whose table counts to infinity', endlessView, 'no table Repetitions'],
    ['cut short', async () => (await loopDatabase(25)).subarray(0, 5_000), 'The database cannot be read'],
    ['of noise', noise, 'The database cannot be read'],
  ])('%s ends in a sentence', async (_, make, sentence) => {
    await expect(read(await make())).rejects.toThrow(sentence);
  });

  function endlessView(): Promise<Uint8Array> {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
    return loopDatabase(
      25,
      `DROP TABLE Repetitions; CREATE VIEW Repetitions AS ${endless} SELECT i id, 1 habit, 0 timestamp FROM n`,
    );
  }

  async function noise(): Promise<Uint8Array> {
    const bytes = await loopDatabase(25);
    return bytes.map((byte, at) => (at < 100 ? byte : (byte * 31 + at * 7) & 0xff));
  }
});

describe('a Loop zip', () => {
  it.each([
    ['with sizes before the data', zipOf],
    ['with sizes after the data', streamedZipOf],
  ])('%s is read', async (_, pack) => {
    const { habits, rejects } = await habitsOf(pack(LOOP_ZIP));
    expect(rejects).toEqual([]);
    expect(habits['Walk, far']).toMatchObject({ kind: 'every day', known: 5, logs: ['01-08 S', '01-05 C'] });
    expect(habits['Pages']!.logs).toEqual(['01-06 P 0.25', '01-05 C']);
    // Old numbers without a header; what was only filled in is no entry.
    expect(habits['Swim']).toMatchObject({ kind: '3 times a week', logs: ['01-07 C', '01-04 C'] });
  });

  it('tells what it leaves out', async () => {
    const files = {
      ...LOOP_ZIP,
      '009 Gone/Checkmarks.csv': '',
      '003 Swim/Checkmarks.csv': '2026-13-01,2\n2026-01-01,many\n',
    };
    const { rejects } = await habitsOf(zipOf(files));
    expect(rejects.sort()).toEqual([
      '003 Swim/Checkmarks.csv, line 1: the date is not a day such as 2026-01-31',
      '003 Swim/Checkmarks.csv, line 2: the value means nothing',
      '009 Gone/Checkmarks.csv: its habit is not in Habits.csv',
    ]);
  });

  it('that grows a thousandfold is given up', async () => {
    const bomb = zipOf({ 'Habits.csv': '0'.repeat(150_000_000) });
    expect(bomb.length).toBeLessThan(1_000_000);
    await expect(read(bomb)).rejects.toThrow('The zip unpacks to more than 100 MiB.');
  });

  it('that understates its sizes is given up all the same', async () => {
    const bomb = zipOf({ 'Habits.csv': '0'.repeat(150_000_000) });
    new DataView(bomb.buffer).setUint32(22, 10, true);
    await expect(read(bomb)).rejects.toThrow('The zip unpacks to more than 100 MiB.');
  });

  it.each([
    ['of something else', () => zipOf({ 'a.txt': 'b' }), 'no Habits.csv'],
    ['cut short', () => zipOf(LOOP_ZIP).subarray(0, 300), 'The zip is cut short'],
    [
      'of very many files',
      () => zipOf(Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`${i}.csv`, '']))),
      '2000',
    ],
  ])('%s ends in a sentence', async (_, make, sentence) => {
    await expect(read(make())).rejects.toThrow(sentence);
  });
});

describe('our own export', () => {
  const habit = {
    name: 'Run',
    cadence: 'CUSTOM',
    targetPerWeek: 3,
    targetDaysMask: 21,
    startDate: '2026-01-01T07:00:00.000Z',
  };
  const logs = [
    { localDate: '2026-01-05', status: 'COMPLETED' },
    { occurredAt: '2026-01-07T06:40:00.000Z', status: 'PARTIAL', completionRate: 0.75 },
    { localDate: '2026-01-09', status: 'SKIPPED', note: 'ill' },
  ];

  it('is read with its schedules', async () => {
    const plain = { name: 'Call', cadence: 'WEEKLY', targetDaysMask: 0, logs };
    const { habits, rejects } = await habitsOf(JSON.stringify({ habits: [{ ...habit, logs }, plain] }));
    expect(rejects).toEqual([]);
    expect(habits).toMatchObject({
      Run: { kind: 'fixed weekdays', start: '2026-01-01', logs: ['01-05 C', '01-07 P 0.75', '01-09 S'] },
      Call: { kind: 'once a week', start: '2026-01-05' },
    });
  });

  it('tells every mistake by its place', async () => {
    const bad = [
      { ...habit, name: 5 },
      { ...habit, targetPerWeek: 99 },
      { ...habit, targetDaysMask: -1 },
      { ...habit, cadence: 'YEARLY' },
      { ...habit, startDate: 'soon' },
      { ...habit, logs: {} },
      7,
      {
        ...habit,
        logs: [
          logs[0],
          {},
          { localDate: '2026-02-30' },
          null,
          { ...logs[1], completionRate: 2 },
          { ...logs[0], status: 'DONE' },
        ],
      },
    ];
    const { rejects } = await habitsOf(JSON.stringify({ habits: bad }));
    expect(rejects).toEqual([
      'habits[0]: no name',
      'habits[1]: targetPerWeek is not 1 to 14',
      'habits[2]: targetDaysMask is not 0 to 127',
      'habits[3]: unknown cadence',
      'habits[4]: startDate is no date',
      'habits[5]: logs are not a list',
      'habits[6]: not an object',
      'habits[7].logs[1]: neither localDate nor occurredAt is a date',
      'habits[7].logs[2]: neither localDate nor occurredAt is a date',
      'habits[7].logs[3]: not an object',
      'habits[7].logs[4]: completionRate is not 0 to 1',
      'habits[7].logs[5]: the status is not COMPLETED, PARTIAL or SKIPPED',
    ]);
  });

  it.each([
    ['{"habits": [', 'not JSON'],
    ['[1, 2]', 'not an object'],
    ['{"tasks": []}', 'no list "habits"'],
    ['['.repeat(200_000), 'not JSON'],
    ['{"habits": []}', 'Nothing of the file is left'],
  ])('%.20s ends in a sentence', async (text, sentence) => {
    await expect(read(text)).rejects.toThrow(sentence);
  });
});

describe('a CSV of habits', () => {
  it('has its columns in any order, and quotes', async () => {
    const text =
      '\uFEFFValue,note,Date,habit\r\nyes,"two\r\nlines",2026-01-05,"Run, far"\r\n0.25,,2026-01-06,"Run, far"\r\nskip,,2026-01-07,"Run, far"\r\nno,,2026-01-08,"Run, far"\r\n';
    const { habits, rejects } = await habitsOf(text);
    expect(rejects).toEqual([]);
    expect(habits['Run, far']).toMatchObject({
      kind: 'every day',
      known: 4,
      logs: ['01-05 C', '01-06 P 0.25', '01-07 S'],
    });
  });

  it('takes a weekly target, and names that look like members of every object', async () => {
    const { habits } = await habitsOf(
      'habit,date,value,per_week\n__proto__,2026-01-05,x,3\nconstructor,2026-01-05,1,\n',
    );
    expect(Object.entries(habits).map(([name, { kind, perWeek }]) => [name, kind, perWeek])).toEqual([
      ['__proto__', '3 times a week', 3],
      ['constructor', 'every day', 7],
    ]);
  });
});
