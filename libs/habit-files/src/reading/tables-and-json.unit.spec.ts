import { habitsIn, read, refusalOf, rejectsOf } from '../read.fixture';

describe('a CSV of habits', () => {
  it('has its columns in any order, quotes and notes', async () => {
    const text =
      '\uFEFFValue,note,Date,habit\r\nyes,"two\r\nlines, ""quoted""",2026-01-05,"Run, far"\r\n0.25,,2026-01-06,"Run, far"\r\nSkip,,2026-01-07,"Run, far"\r\nno,,2026-01-08,"Run, far"\r\n';
    const { format, habits, rejects } = await habitsIn(text);
    expect({ format, rejects }).toEqual({ format: 'csv', rejects: [] });
    expect(habits.get('Run, far')).toMatchObject({
      cadence: 'DAILY',
      targetPerWeek: 7,
      targetDaysMask: 127,
      start: '2026-01-05',
      logs: ['01-05 C', '01-06 P 0.25', '01-07 S'],
      observed: { from: '2026-01-05', to: '2026-01-08' },
    });
    const [first] = (await read(text)).habits[0]!.logs;
    expect(first).toMatchObject({ note: 'two\r\nlines, "quoted"', sourceId: '1:Run, far/2026-01-05' });
  });

  it.each(['\n', '\r\n', '\r'])('has lines that end with %j', async (lineBreak) => {
    const lines = [
      'habit,date,value,note',
      'Run,2026-01-05,yes,"two\nlines"',
      '"Run",2026-01-06,no,',
      'Run,soon,yes,""',
    ];
    const { habits, rejects } = await habitsIn(lines.map((line) => line + lineBreak).join(''));
    expect(habits.get('Run')).toMatchObject({ logs: ['01-05 C'], observed: { from: '2026-01-05', to: '2026-01-06' } });
    expect(rejects).toEqual([expect.stringContaining('the date is not a day')]);
  });

  it('has lines that a second program has given a further CR', async () => {
    const { habits } = await habitsIn('habit,date,value\r\r\n"Run",2026-01-05,yes\r\r\n"Run",2026-01-06,x\r\r\n');
    expect(habits.get('Run')!.logs).toEqual(['01-05 C', '01-06 C']);
  });

  it('has a CR in the quotes of its first line as a character', async () => {
    const { habits } = await habitsIn('habit,date,value,"a\rb"\nRun,2026-01-05,yes,\nRun,2026-01-06,x,\n');
    expect(habits.get('Run')!.logs).toEqual(['01-05 C', '01-06 C']);
  });

  it('takes a weekly target, and names that look like members of every object', async () => {
    const { habits } = await read('habit,date,value,per_week\n__proto__,2026-01-05,x,3\nconstructor,2026-01-05,1,\n');
    expect(habits).toMatchObject([
      { name: '__proto__', cadence: 'WEEKLY', targetPerWeek: 3, targetDaysMask: 0 },
      { name: 'constructor', cadence: 'DAILY', targetPerWeek: 7 },
    ]);
  });

  it('rejects every mistake by its line, and goes on', async () => {
    const lines = [
      'habit,date,value,note',
      // A NUL nearer to the beginning is that of a file of another kind.
      `Run,2026-01-01,yes,${'n'.repeat(1_000)}`,
      'Run,2026-01-01,no,',
      'Run,2026-02-30,yes,',
      'Run,2030-01-01,yes,',
      'Run,1999-12-31,yes,',
      'Run,2026-01-02,1.0000001,',
      ' ,2026-01-02,yes,',
      'R,2026-01-02,yes,',
      'Run,2026-01-02',
      'N\0UL,2026-01-02,yes,',
      `${'n'.repeat(121)},2026-01-02,yes,`,
    ];
    const { rejects, rejected } = await habitsIn(lines.join('\n'));
    expect(rejected).toEqual({ habits: 0, logs: 10 });
    expect(rejects.map((reject) => reject.replace('line ', ''))).toEqual([
      '3: a second entry of the habit for this day',
      '4: the date is not a day such as 2026-01-31',
      '5: the day is in the future',
      '6: the day is before 2000-01-01',
      '7: the value is neither 0 to 1 nor yes, done, x, skip or no',
      '8: no name',
      '9: a name of fewer than 2 characters',
      '10: 2 cells where 4 belong',
      '11: the name holds characters that cannot be kept',
      '12: a name of more than 120 characters',
    ]);
  });

  it('says what it does not read: other columns, one that is there twice, and cells behind the last', async () => {
    const table = 'habit,date,value,mood,Value,note\nRun,2026-01-01,x,7,no,fine,,\nRun,2026-01-02,x,,,fog, then sun\n';
    const { habits, notes, rejects } = await read(table);
    expect(habits[0]!.logs).toMatchObject([{ localDate: '2026-01-01', note: 'fine' }]);
    expect(notes).toEqual(['Not read: the column "mood", the column "value".']);
    expect(rejects).toEqual([{ row: 'line 3', reason: '7 cells where 6 belong' }]);
  });

  it('in Latin-1 loses the lines that are not UTF-8, and no others', async () => {
    const latin = Buffer.from('habit,date,value\nRun,2026-01-01,yes\nCaf\xe9,2026-01-01,yes\n', 'latin1');
    expect(await habitsIn(latin)).toMatchObject({
      habits: expect.objectContaining({ size: 1 }),
      rejects: ['line 3: the line is not UTF-8'],
    });
    const { habits } = await read('habit,date,value\nR\uFFFDn,2026-01-01,yes\n');
    expect(habits[0]!.name).toBe('R\uFFFDn');
  });

  it('keeps the first thousand rejects, and counts all', async () => {
    const file = await read(`habit,date,value\n${'Run,soon,yes\n'.repeat(5_000)}`);
    expect(file.rejects).toHaveLength(1_000);
    expect(file.rejected.logs).toBe(5_000);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'file_empty: The file is empty.'],
    ['UTF-16', Buffer.from('\uFEFFhabit,date,value\n', 'utf16le'), 'encoding_not_utf8: The file is text in UTF-16'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'file_kind_unknown: The file is none'],
    ['semicolons', 'habit;date;value\nRun;2026-01-01;1\n', 'columns_missing: The columns are not separated by commas.'],
    ['another table', 'a,b,c\n1,2,3\n', 'columns_missing: The first row does not name the columns.'],
    ['quotes alone', '"'.repeat(2_000_000), 'file_kind_unknown: The table has a line'],
    ['one byte too many', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'), 'file_too_large: The file is larger than 10 MiB.'],
    ['too many habits', tableOf(501, (at) => `H${at},2026-01-01,x`), 'too_many_habits: The file holds more than 500'],
    [
      'too many logs',
      tableOf(100_001, (at) => `H${at % 30},${dayAt(at)},x`),
      'too_many_logs: The file holds more than 100,000',
    ],
    ['too many rows', tableOf(1_000_001, () => 'a,b,c'), 'too_many_rows: The file holds more than 1,000,000'],
  ])('of %s ends in a sentence', async (_, content, sentence) => {
    expect(await refusalOf(content)).toContain(sentence);
  });

  function tableOf(count: number, line: (at: number) => string): string {
    return ['habit,date,value', ...Array.from({ length: count }, (_, at) => line(at))].join('\n');
  }

  function dayAt(at: number): string {
    return new Date(Date.UTC(2010, 0, 1 + Math.floor(at / 30))).toISOString().slice(0, 10);
  }
});

describe('our own JSON', () => {
  const habit = {
    name: 'Run',
    cadence: 'CUSTOM',
    targetPerWeek: 3,
    targetDaysMask: 21,
    startDate: '2026-01-01T07:00:00.000Z',
  };
  const logs = [
    { localDate: '2026-01-05', status: 'COMPLETED' },
    { occurredAt: '2026-01-07T06:40:00+02:00', status: 'PARTIAL', completionRate: 0.75 },
    { localDate: '2026-01-09', status: 'SKIPPED', note: 'ill' },
  ];

  it('is read with its schedules, whatever members are left out', async () => {
    const plain = { name: 'Call', cadence: 'WEEKLY', targetDaysMask: 0, logs, status: 'ARCHIVED' };
    const { habits, rejects, weekStart } = await habitsIn(
      JSON.stringify({ profile: { weekStart: 'SUNDAY' }, habits: [{ ...habit, logs }, plain, { name: 'Both' }] }),
    );
    expect({ rejects, weekStart }).toEqual({ rejects: [], weekStart: 'SUNDAY' });
    expect(habits.get('Run')).toMatchObject({
      targetPerWeek: 3,
      targetDaysMask: 21,
      start: '2026-01-01',
      archived: false,
      logs: ['01-05 C', '01-07 P 0.75', '01-09 S'],
    });
    expect(habits.get('Call')).toMatchObject({
      targetPerWeek: 1,
      targetDaysMask: 0,
      start: '2026-01-05',
      archived: true,
    });
    expect(habits.get('Both')).toMatchObject({ cadence: 'DAILY', targetPerWeek: 7, targetDaysMask: 127, start: null });
  });

  it('has instants in UTC, and ids of logs of the same day', async () => {
    const given = { habits: [{ ...habit, logs: [logs[1], logs[1], { ...logs[1], sourceId: 'mine' }] }] };
    const { habits } = await read(JSON.stringify(given));
    expect(habits[0]!.logs.map(({ sourceId, occurredAt }) => [sourceId, occurredAt])).toEqual([
      ['1:Run/2026-01-07', '2026-01-07T04:40:00.000Z'],
      ['1:Run/2026-01-07/2', '2026-01-07T04:40:00.000Z'],
      ['mine', '2026-01-07T04:40:00.000Z'],
    ]);
  });

  it('tells every mistake by its place', async () => {
    const bad = [
      { ...habit, name: 5 },
      { ...habit, name: '\ud800\ud800' },
      { ...habit, targetPerWeek: 99 },
      { ...habit, targetDaysMask: -1 },
      { ...habit, cadence: 'YEARLY' },
      { ...habit, startDate: 'soon' },
      { ...habit, startDate: null, createdOn: '2026-02-30' },
      { ...habit, logs: {} },
      { ...habit, description: 7 },
      { ...habit, sourceId: '' },
      7,
      { ...habit, sourceId: 'a', logs: [] },
      { ...habit, sourceId: 'a', logs: [] },
    ];
    expect(rejectsOf(await read(JSON.stringify({ habits: bad })))).toEqual([
      'habits[0]: no name',
      'habits[1]: the name holds characters that cannot be kept',
      'habits[2]: targetPerWeek is not 1 to 14',
      'habits[3]: targetDaysMask is not 0 to 127',
      'habits[4]: unknown cadence',
      'habits[5]: startDate is no date',
      'habits[6]: createdOn is no date',
      'habits[7]: logs are not a list',
      'habits[8]: description or category is no text',
      'habits[9]: sourceId is no id',
      'habits[10]: not an object',
      'habits[12]: a second habit of this sourceId',
    ]);
  });

  it.each<[unknown, string]>([
    [{}, 'neither localDate nor occurredAt is a date'],
    [null, 'not an object'],
    [{ ...logs[0], status: 'DONE' }, 'the status is not COMPLETED, PARTIAL or SKIPPED'],
    [{ ...logs[1], completionRate: 2 }, 'completionRate is not 0 to 1'],
    [{ ...logs[0], completionRate: 0.5 }, 'completionRate of COMPLETED is 1'],
    [{ ...logs[0], occurredAt: 'noon' }, 'occurredAt is no instant such as 2026-01-31T07:00:00.000Z'],
    [{ ...logs[0], occurredAt: '2026-01-15T07:00:00Z' }, 'localDate and occurredAt are days apart'],
    [{ ...logs[0], localDate: '2099-01-01' }, 'the day is in the future'],
    [{ ...logs[0], durationMinutes: 1e300 }, 'durationMinutes is not 0 to 1440'],
    [{ ...logs[0], moodScore: 0 }, 'a score is not 1 to 10'],
    [{ ...logs[0], contextTags: ['a'.repeat(33)] }, 'contextTags are not at most 12 texts of at most 32 characters'],
    [{ ...logs[0], note: {} }, 'the note is no text'],
    [{ ...logs[0], sourceId: 'x'.repeat(221) }, 'sourceId is no id'],
  ])('rejects the log %j', async (log, reason) => {
    const file = await read(JSON.stringify({ habits: [{ ...habit, logs: [logs[2], log] }] }));
    expect(rejectsOf(file)).toEqual([`habits[0].logs[1]: ${reason}`]);
    expect(file.habits[0]!.logs).toHaveLength(1);
  });

  it('rejects more logs of a day than are kept, and a second log of an id', async () => {
    const sameDay = Array.from({ length: 52 }, () => logs[0]);
    const sameId = [1, 2].map(() => ({ ...logs[2], sourceId: 'a' }));
    expect(rejectsOf(await read(JSON.stringify({ habits: [{ ...habit, logs: [...sameDay, ...sameId] }] })))).toEqual([
      'habits[0].logs[50]: more than 50 logs of the habit for this day',
      'habits[0].logs[51]: more than 50 logs of the habit for this day',
      'habits[0].logs[53]: a second log of this sourceId',
    ]);
  });

  it('mends texts rather than losing what they belong to', async () => {
    const log = { ...logs[0], note: `a\0b\ud800${'😀'.repeat(1_100)}` };
    const { habits, notes } = await read(JSON.stringify({ habits: [{ ...habit, logs: [log] }] }));
    expect(habits[0]!.logs[0]!.note).toBe(`a\uFFFDb\uFFFD${'😀'.repeat(1_020)}`);
    expect(notes).toHaveLength(2);
  });

  it.each<[string | Uint8Array, string]>([
    ['{"habits": [', 'json_broken: The file is not JSON'],
    ['[1, 2]', 'json_without_habits: The JSON is not an object'],
    ['{"tasks": []}', 'json_without_habits: The JSON has no list "habits"'],
    ['['.repeat(200_000), 'json_broken: The file is not JSON of ours: it is nested too deeply'],
    [`[${'[],'.repeat(3_000_000)}[]]`, 'too_many_rows'],
    ['{"format": "evenkeel.habits", "version": 2, "habits": []}', 'json_version_unknown: The JSON is of version 2'],
    [Buffer.from('{"habits": ["\xe9"]}', 'latin1'), 'encoding_not_utf8: The JSON is not UTF-8'],
  ])('text %# that is none of ours ends in a sentence', async (text, sentence) => {
    expect(await refusalOf(text)).toContain(sentence);
  });
});
