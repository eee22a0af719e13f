import { fieldFile } from './cases.fixture';
import { zipOf } from './loop/loop-files.fixture';
import { habitsIn, read, refusalOf } from './read.fixture';

describe('the JSON of another tracker', () => {
  it.each(['beaver.json', 'beaver-wrapped.json'])('%s of Beaver has its days and texts', async (name) => {
    const { habits, notes } = await read(fieldFile(name));
    expect(habits).toMatchObject([
      {
        name: 'Order pizz',
        cadence: 'WEEKLY',
        targetPerWeek: 2,
        archived: false,
        logs: [{ localDate: '2026-01-05' }, { localDate: '2026-01-07', note: 'with mushrooms' }],
      },
      { name: 'Running', cadence: 'DAILY', logs: [{ localDate: '2026-01-05' }] },
    ]);
    expect(notes).toEqual([
      'Read as a file of Beaver Habit Tracker.',
      'Days marked as not done, which are days without a log here: 1.',
    ]);
  });

  it('says that the text of a day on which nothing was done is left out', async () => {
    const records = [
      { day: '2026-01-05', done: true, text: 'far' },
      { day: '2026-01-06', done: false, text: 'ill' },
    ];
    const { habits, notes } = await read(JSON.stringify({ habits: [{ name: 'Run', records }] }));
    expect(habits[0]!.logs).toMatchObject([{ localDate: '2026-01-05', note: 'far' }]);
    expect(notes).toContain('Notes left out, being of days without a log: 1.');
  });

  it('of Table Habit has its numbers against the goal of a day', async () => {
    const habit = {
      create_t: 1767571200,
      type: 1,
      status: 1,
      name: 'Water',
      desc: 'glasses',
      color: 3,
      daily_goal: 8,
      freq_type: 3,
      freq_custom: '[2,3]',
      start_date: 20_458,
      target_days: 30,
      records: [
        { record_date: 20_458, record_type: 1, record_value: 8, create_t: 1, modify_t: 1 },
        { record_date: 20_459, record_type: 1, record_value: 2, reason: 'away' },
        { record_date: 20_460, record_type: 2, record_value: 0 },
        { record_date: 20_461, record_type: 1, record_value: 0 },
      ],
    };
    const sweets = { ...habit, name: 'Sweets', type: 2, status: 3, daily_goal: 4, freq_type: 1, freq_custom: '[5]' };
    const { habits } = await habitsIn(
      JSON.stringify({ habits: [habit, sweets], groups: [{ name: 'Home', create_t: 1 }] }),
    );
    expect(habits.get('Water')).toMatchObject({
      description: 'glasses',
      start: '2026-01-05',
      targetPerWeek: 4,
      interval: { times: 2, days: 3 },
      logs: ['01-05 C', '01-06 P 0.25', '01-07 S'],
    });
    expect(habits.get('Sweets')).toMatchObject({
      targetPerWeek: 5,
      archived: true,
      logs: ['01-05 P 0.5', '01-06 C', '01-07 S', '01-08 C'],
    });
  });

  it('of HabitTrove has its completions on the days of the person', async () => {
    const habits = [
      { ...{ id: 'a', name: 'Read', frequency: 'daily', coinReward: 5 }, completions: ['2026-01-05T23:30:00.000Z'] },
      {
        id: 'b',
        name: 'Drink',
        frequency: 'FREQ=WEEKLY;BYDAY=MO,WE',
        coinReward: 5,
        targetCompletions: 2,
        completions: ['2026-01-05T08:00:00Z', '2026-01-05T09:00:00Z', '2026-01-07T08:00:00Z'],
      },
    ];
    const file = zipOf({ 'data/habits.json': JSON.stringify({ habits }), 'data/coins.json': '{"balance": 5}' });
    const found = await habitsIn(file, { timezone: 'Europe/Madrid' });
    expect(found.habits.get('Read')!.logs).toEqual(['01-06 C']);
    expect(found.habits.get('Drink')).toMatchObject({ targetDaysMask: 5, logs: ['01-05 C', '01-07 P 0.5'] });
    expect(found.notes).toContain('Files of the zip that were not read: data/coins.json.');
  });

  it.each<[unknown, object, string[]]>([
    ['daily', { targetDaysMask: 127 }, []],
    ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE', { targetDaysMask: 5 }, []],
    ['FREQ=MONTHLY;BYDAY=FR', { targetDaysMask: 16 }, []],
    ['RRULE:INTERVAL=2;FREQ=WEEKLY;BYDAY=MO,TU,TH', { targetPerWeek: 1, targetDaysMask: 0 }, ['3 in 14 days']],
    ['DTSTART:20260105T070000Z\nRRULE:FREQ=MONTHLY;BYDAY=+1MO', { targetPerWeek: 1 }, ['1 in 30 days']],
    ['FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO,TU,WE,TH,FR', { targetPerWeek: 1 }, ['1 in 30 days']],
    ['FREQ=MONTHLY;BYMONTHDAY=1,8,15,22,29', { targetPerWeek: 1 }, ['5 in 30 days']],
    ['weekdays', { targetDaysMask: 127 }, ['Not read: "frequency" of habits.']],
    [{ every: 3 }, { targetDaysMask: 127 }, ['Not read: "frequency" of habits.']],
  ])('due %j is due so here, or it is said', async (frequency, schedule, said) => {
    const { habits, notes } = await read(JSON.stringify([{ name: 'Run', frequency, dates: ['2026-01-05'] }]));
    expect(habits).toMatchObject([schedule]);
    const others = notes.filter((note) => note !== 'Read as a file of a list of dates.');
    expect(others).toEqual(said.map((part) => expect.stringContaining(part) as string));
  });

  it.each<[object, boolean, string[]]>([
    [{ status: 'archived' }, true, []],
    [{ status: 'Active' }, false, []],
    [{ archivedAt: '2026-02-01T00:00:00Z' }, true, []],
    [{ archived: false, archivedAt: '2026-02-01T00:00:00Z' }, false, []],
    [{ status: 'ACTIVE', archivedAt: null }, false, []],
    [{ status: 'paused' }, false, ['Not read: "status" of habits.']],
    [{ archived: 1, constructor: 1 }, false, ['Not read: "archived" of habits, "constructor" of habits.']],
  ])('of a habit with %j is archived: %p', async (members, archived, said) => {
    const { habits, notes } = await read(JSON.stringify([{ name: 'Run', dates: ['2026-01-05'], ...members }]));
    expect([habits[0]!.archived, notes]).toEqual([archived, ['Read as a file of a list of dates.', ...said]]);
  });

  it('of a habit that is due several times a day keeps what is no completion', async () => {
    const completions = [
      { date: '2026-01-05', note: 'morning', moodScore: 7 },
      { date: '2026-01-06', status: 'skipped', note: 'ill' },
      { date: '2026-01-05', note: 'evening' },
      { date: '2026-01-07', completed: false },
      { date: '2026-01-08', status: 'perhaps' },
    ];
    const habit = { name: 'Drink', targetCompletions: 2, completions };
    const { habits, notes, rejects } = await read(JSON.stringify([habit]));
    expect(habits[0]!.logs).toMatchObject([
      { localDate: '2026-01-05', status: 'COMPLETED', moodScore: 7, note: 'morning\nevening' },
      { localDate: '2026-01-06', status: 'SKIPPED', note: 'ill' },
    ]);
    expect(notes).toContain('Days marked as not done, which are days without a log here: 1.');
    expect(rejects).toMatchObject([{ reason: 'the status is not COMPLETED, PARTIAL or SKIPPED' }]);
  });

  it('with days of nothing, or less, has no completion on them', async () => {
    const history = { '2026-01-05': 1, '2026-01-06': null, '2026-01-07': -1 };
    const { habits, notes, rejects } = await read(JSON.stringify([{ name: 'Run', history }]));
    expect(habits[0]!.logs).toMatchObject([{ localDate: '2026-01-05', status: 'COMPLETED' }]);
    expect(notes).toContain('Days marked as not done, which are days without a log here: 1.');
    expect(rejects).toMatchObject([{ reason: 'the status is not COMPLETED, PARTIAL or SKIPPED' }]);
  });

  it('with days that are marked as skipped has them so', async () => {
    const entries = [
      { date: '2026-01-05', skipped: true },
      { date: '2026-01-06', skipped: false, completed: true },
    ];
    const { habits, notes } = await habitsIn(JSON.stringify([{ name: 'Run', entries }]));
    expect(habits.get('Run')!.logs).toEqual(['01-05 S', '01-06 C']);
    expect(notes).toEqual(['Read as a file of a list of dates.']);
  });

  const [one, two, three] = ['2026-01-05', '2026-01-06', '2026-01-07'];
  it.each<[string, object]>([
    ['dates', { completedDates: [one, two] }],
    ['instants', { completions: [`${one}T08:00:00Z`, `${two}T08:00:00.000Z`] }],
    ['objects', { entries: [{ date: one, completed: true }, { date: two }, { date: three, completed: false }] }],
    [
      'other words',
      {
        entries: [
          { date: one, isDone: true },
          { date: two, complete: true },
          { date: three, isDone: false },
        ],
      },
    ],
    ['counts', { entries: [one, two, three].map((date, at) => ({ date, count: [3, 1, 0][at] })) }],
    ['misses', { entries: [{ date: one, missed: false }, { date: two }, { date: three, missed: true }] }],
    ['an object by date', { history: { [one]: true, [two]: 1, [three]: false } }],
    ['words', { checkins: [one, two].map((day, at) => ({ day, status: ['done', 'Completed'][at] })) }],
    ['times without a zone', { completions: [`${one}T08:00:00`, `${two} 08:00:00.123456`] }],
    ['times behind a space', { entries: [{ date: `${one} 23:30:00-05:00` }, { date: `${two} 23:59` }] }],
    ['logs that are dates', { logs: [one, two] }],
    ['logs with a date', { logs: [{ date: one }, { date: two, done: true }] }],
    ['logs by date', { logs: { [one]: true, [two]: 1 } }],
  ])('is a list of habits with %s', async (_, days) => {
    for (const document of [{ habits: [{ name: 'Run', ...days }] }, [{ title: 'Run', ...days }]]) {
      expect((await habitsIn(JSON.stringify(document))).habits.get('Run')!.logs).toEqual(['01-05 C', '01-06 C']);
    }
  });

  it.each<[string, object]>([
    ['records', { habits: [{ name: 'Run', progress: [{ when: '2026-01-05' }] }] }],
    ['strange dates', { habits: [{ name: 'Run', completions: ['5 Jan'], week: { '2026-01-05': 1 } }] }],
    ['instants as numbers', [{ name: 'Run', completions: [Date.parse(one), Date.parse(two)] }]],
    ['dates as numbers', { habits: [{ name: 'Run', done: [20_260_105] }] }],
    ['logs of other members', { habits: [{ name: 'Run', logs: [{ when: one, km: 5 }] }] }],
    ['logs that are numbers', { habits: [{ name: 'Run', logs: [20_458, 20_459] }] }],
    ['logs that are a text', [{ name: 'Run', logs: `${one}, ${two}` }]],
    ['a list beside', { habits: [{ id: 1, name: 'Run' }], checkIns: [{ habitId: 1, dateKey: '2026-01-05' }] }],
    ['days in place of habits', { habits: [one, two].map((date) => ({ name: 'Run', date, value: 1 })) }],
    ['instants in place of habits', [{ name: 'Run', occurredAt: `${one}T08:00:00Z`, status: 'COMPLETED' }]],
  ])('with a history of %s that is not known is refused: no habit arrives without it', async (_, document) => {
    expect(await refusalOf(JSON.stringify(document))).toMatch(/^json_without_habits: The JSON has its days in/);
  });

  it.each<[string, object[]]>([
    ['people', [{ name: 'Ada', email: 'ada@example.com' }]],
    ['days of numbers', [one, two].map((day) => ({ habit: 'Run', timestamp: Date.parse(day) }))],
  ])('is no list of %s', async (_, list) => {
    expect(await refusalOf(JSON.stringify(list))).toBe(
      'json_without_habits: The JSON is not an object with a list "habits".',
    );
  });

  it.each<object>([
    { period: { period_type: { toString: 1 } } },
    { period: { period_type: 'D', period_count: { toString: 1, valueOf: 1 } } },
    { freq_type: 1, freq_custom: { toString: 1 } },
    { freq_type: 1, daily_goal: [{ toString: 1 }] },
    { status: { toString: 1 } },
    { frequency: { toString: 1 } },
  ])('with %j in place of a text or a number is read', async (members) => {
    const habit = { name: 'Run', records: [{ day: one, done: true }], ...members };
    expect((await read(JSON.stringify([habit]))).habits).toMatchObject([{ name: 'Run' }]);
  });

  it('has members that are not read named', async () => {
    const logs = [{ localDate: '2026-01-05', status: 'COMPLETED', km: 5 }];
    const habit = { name: 'Run', logs, reminders: ['08:00'], star: true };
    const { notes } = await read(JSON.stringify({ habits: [habit], tasks: [{ name: 'x' }] }));
    expect(notes).toEqual(['Not read: "reminders" of habits, "star" of habits, "km" of logs, "tasks".']);
  });

  it('has its history beside logs that are empty', async () => {
    const habits = [{ name: 'Run', logs: [], completions: [one] }];
    expect((await habitsIn(JSON.stringify({ habits }))).habits.get('Run')!.logs).toEqual(['01-05 C']);
    const unknown = [{ name: 'Run', logs: [], progress: [{ when: one }] }];
    expect(await refusalOf(JSON.stringify({ habits: unknown }))).toContain('The JSON has its days in "progress"');
  });

  it('has logs that are not its history named', async () => {
    const habit = { name: 'Run', completions: [one], logs: ['renamed'] };
    expect((await read(JSON.stringify([habit]))).notes).toContain('Not read: "logs" of habits.');
  });

  it('has logs of a refused habit that say so', async () => {
    const document = { habits: [{ name: 'x', logs: [{ localDate: '2026-01-05', status: 'COMPLETED' }] }] };
    expect(await read(JSON.stringify(document))).toMatchObject({
      rejected: { habits: 1, logs: 1 },
      rejects: [
        { row: 'habits[0]' },
        { row: 'habits[0].logs[0]', reason: expect.stringContaining('habit was refused') },
      ],
    });
  });
});

it('a CSV with texts that begin as formulas has them as texts', async () => {
  const { habits, rejects } = await read(fieldFile('dashes.csv'));
  expect(rejects).toEqual([]);
  expect(habits.map(({ name, logs }) => [name, ...logs.map(({ note }) => note)])).toEqual([
    ['- no sugar', '- felt tired', '+2 reps'],
    ['@gym', '-5'],
    ['=focus= hour', 'ok'],
    ["'quoted'", "'tis fine"],
    ['Read', '=)', 'line one\nline two, "quoted"'],
  ]);
});

describe('a log of JSON that says when it was, and no day', () => {
  const fileWith = (occurredAt: string) =>
    JSON.stringify({ habits: [{ name: 'Run', logs: [{ occurredAt, status: 'COMPLETED' }] }] });

  it.each<[string, object, string]>([
    ['2026-01-05T23:30:00Z', { timezone: 'Europe/Madrid' }, '01-06 C'],
    ['2026-01-06T00:30:00Z', { timezone: 'America/New_York' }, '01-05 C'],
    ['2026-01-06T01:30:00Z', { timezone: 'Europe/Madrid', dayStartMinutes: 240 }, '01-05 C'],
    ['2026-01-05T23:30:00-05:00', {}, '01-05 C'],
    ['2026-01-05T23:30:00-05:00', { timezone: null }, '01-05 C'],
  ])('%s has the day of the person with %j', async (occurredAt, person, log) => {
    expect((await habitsIn(fileWith(occurredAt), person)).habits.get('Run')!.logs).toEqual([log]);
  });

  it('is not in the future where its day was written at +14:00', async () => {
    const at = { lastDay: '2026-01-06', lastInstant: '2026-01-06T10:00:00.000Z' };
    expect((await habitsIn(fileWith('2026-01-07T00:00:00+14:00'), at)).rejects).toEqual([]);
    expect((await habitsIn(fileWith('2026-01-07T00:30:00+14:00'), at)).rejects).toEqual([
      'habits[0].logs[0]: the day is in the future',
    ]);
  });
});

it.each(['0001-01-01', '1999-12-31', '2100-01-01'])('a habit that begins in %s is refused', async (day) => {
  for (const start of [{ startDate: day }, { createdOn: day }]) {
    const { rejects } = await habitsIn(JSON.stringify({ habits: [{ name: 'Run', ...start }] }));
    expect(rejects).toEqual([expect.stringContaining('is not from 2000 to 2099')]);
  }
});
