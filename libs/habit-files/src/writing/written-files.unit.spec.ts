import initSqlJs from 'sql.js';
import type { HabitToWrite, LogToWrite, WrittenFormat } from '../index';
import { writeHabitFile } from './write-habit-file.fixture';

function aLog(localDate = '2026-01-05', log: Partial<LogToWrite> = {}): LogToWrite {
  const done = { status: 'COMPLETED', completionRate: 1, contextTags: [], note: null } as const;
  const nothing = { durationMinutes: null, moodScore: null, energyScore: null, stressScore: null };
  return { localDate, sourceId: null, occurredAt: null, ...done, ...nothing, ...log };
}

function aHabit(habit: Partial<HabitToWrite> = {}): HabitToWrite {
  const daily = { cadence: 'DAILY', targetPerWeek: 7, targetDaysMask: 127 } as const;
  const facts = {
    sourceId: null,
    name: 'Run',
    description: null,
    category: null,
    start: '2026-01-05',
    createdOn: null,
    archived: false,
    question: null,
    interval: null,
    order: null,
    color: null,
  };
  return { ...facts, ...daily, logs: [aLog()], ...habit };
}

const partial = (completionRate: number) => ({ status: 'PARTIAL', completionRate }) as const;
const skipped = { status: 'SKIPPED', completionRate: 0 } as const;

async function textOf(format: WrittenFormat, habits: readonly HabitToWrite[]): Promise<string> {
  return Buffer.from(await writeHabitFile(format, habits)).toString();
}

it('JSON says everything once, in the order of start and name, day and id', async () => {
  const swim = aHabit({
    name: 'Swim',
    category: 'health',
    description: 'in the lake',
    start: '2026-01-01',
    archived: true,
    order: 2,
    color: '#2e7d32',
  });
  const full = aLog('2026-01-06', {
    ...partial(0.75),
    sourceId: 'b',
    occurredAt: '2026-01-06T06:40:00.000Z',
    durationMinutes: 30,
    moodScore: 7,
    energyScore: 1,
    stressScore: 10,
    contextTags: ['home'],
    note: 'wet',
  });
  const run = aHabit({ logs: [full, aLog('2026-01-06', { ...partial(0.5), sourceId: 'a' }), aLog()] });
  expect(await textOf('json', [run, swim, aHabit({ name: 'Am', logs: [] })])).toBe(
    `{"format":"evenkeel.habits","version":1,"habits":[
{"sourceId":"1:Swim","name":"Swim","description":"in the lake","category":"health","cadence":"DAILY","targetPerWeek":7,"targetDaysMask":127,"startDate":"2026-01-01","archived":true,"order":2,"color":"#2e7d32","logs":[
{"localDate":"2026-01-05","status":"COMPLETED"}
]},
{"sourceId":"1:Am","name":"Am","description":null,"category":null,"cadence":"DAILY","targetPerWeek":7,"targetDaysMask":127,"startDate":"2026-01-05","archived":false,"logs":[]},
{"sourceId":"1:Run","name":"Run","description":null,"category":null,"cadence":"DAILY","targetPerWeek":7,"targetDaysMask":127,"startDate":"2026-01-05","archived":false,"logs":[
{"localDate":"2026-01-05","status":"COMPLETED"},
{"localDate":"2026-01-06","sourceId":"a","status":"PARTIAL"},
{"localDate":"2026-01-06","sourceId":"b","occurredAt":"2026-01-06T06:40:00.000Z","status":"PARTIAL","completionRate":0.75,"durationMinutes":30,"moodScore":7,"energyScore":1,"stressScore":10,"contextTags":["home"],"note":"wet"}
]}
]}
`,
  );
});

describe('CSV', () => {
  it('has a row a day: the best log, with the notes of all', async () => {
    const logs = [
      aLog('2026-01-05', { ...skipped, note: 'ill' }),
      aLog('2026-01-05', { ...partial(0.25), note: 'a, little' }),
      aLog('2026-01-06', skipped),
      aLog('2026-01-07', partial(0)),
      aLog('2026-01-08', partial(0.5)),
    ];
    expect(await textOf('csv', [aHabit({ logs })])).toBe(
      'habit,date,value,note\r\nRun,2026-01-05,0.25,"a, little\nill"\r\nRun,2026-01-06,skip,\r\nRun,2026-01-08,0.5,\r\n',
    );
  });

  const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', "'=1", ' =1', '＝1', '=HYPERLINK("http://x","y")'];
  it.each(FORMULAS)('lets no spreadsheet run %j', async (note) => {
    const habit = aHabit({ name: `${note.trim()}x`, logs: [aLog('2026-01-05', { note })] });
    const [, row] = (await textOf('csv', [habit])).split('\r\n');
    expect([row, row!.split(',yes,')[1]]).toEqual([expect.stringMatching(/^"?'/), expect.stringMatching(/^"?'/)]);
  });

  it('keeps habits of one name apart', async () => {
    const twins = [aHabit(), aHabit({ sourceId: 'x' }), aHabit({ name: 'Run (2)' })];
    const lines = (await textOf('csv', twins)).split('\r\n').slice(1, -1);
    expect(lines).toEqual(['Run,2026-01-05,yes,', 'Run (2),2026-01-05,yes,', 'Run (3),2026-01-05,yes,']);
  });
});

describe('a Loop database', () => {
  async function rowsOf(habits: readonly HabitToWrite[], query: string): Promise<unknown[][]> {
    const sql = await initSqlJs();
    const database = new sql.Database(await writeHabitFile('loop', habits));
    try {
      return database.exec(query)[0]?.values ?? [];
    } finally {
      database.close();
    }
  }

  it('is of version 25, with all that its restore asks for', async () => {
    expect(await rowsOf([], 'PRAGMA user_version')).toEqual([[25]]);
    expect(await rowsOf([], 'PRAGMA integrity_check')).toEqual([['ok']]);
    const asked = 'highlight, reminder_hour, reminder_min, reminder_days, target_type, target_value, type, unit, uuid';
    expect(await rowsOf([], `SELECT ${asked} FROM Habits, android_metadata`)).toEqual([]);
    const unique = `SELECT m.tbl_name, group_concat(i.name) FROM sqlite_master m, pragma_index_list(m.name) l, pragma_index_info(l.name) i
      WHERE m.type = 'table' AND l."unique" GROUP BY l.name ORDER BY 1`;
    expect(await rowsOf([], unique)).toEqual([
      ['Habits', 'uuid'],
      ['Repetitions', 'habit,timestamp'],
    ]);
    expect(await rowsOf([], "SELECT \"notnull\" FROM pragma_table_info('Habits') WHERE name = 'uuid'")).toEqual([[1]]);
  });

  it('has every kind of habit', async () => {
    const weekly = { cadence: 'WEEKLY', targetDaysMask: 0 } as const;
    const habits = [
      aHabit({ name: 'A daily', description: 'why' }),
      aHabit({ name: 'B weekly', ...weekly, targetPerWeek: 3, logs: [aLog('2026-01-05', skipped)], archived: true }),
      aHabit({ name: 'C weekdays', targetDaysMask: 21, logs: [aLog('2026-01-05', { note: 'n' })] }),
      aHabit({ name: 'D often', ...weekly, targetPerWeek: 12, logs: [aLog(), aLog('2026-01-05', partial(0.5))] }),
      aHabit({
        name: 'E in part',
        logs: [aLog('2026-01-05', partial(0.5)), aLog('2026-01-06'), aLog('2026-01-07', skipped)],
      }),
    ];
    const facts = 'name, description, freq_num, freq_den, type, target_type, target_value, unit, archived, position';
    expect(await rowsOf(habits, `SELECT ${facts} FROM Habits ORDER BY id`)).toEqual([
      ['A daily', 'why', 1, 1, 0, 0, 0, '', 0, 0],
      ['B weekly', '', 3, 7, 0, 0, 0, '', 1, 1],
      ['C weekdays', '', 3, 7, 0, 0, 0, '', 0, 2],
      ['D often', '', 1, 1, 0, 0, 0, '', 0, 3],
      ['E in part', '', 1, 1, 1, 0, 100, '%', 0, 4],
    ]);
    const dayOf = '(timestamp / 86400000.0) - 20458';
    expect(await rowsOf(habits, `SELECT habit, ${dayOf}, value, notes FROM Repetitions ORDER BY id`)).toEqual([
      [1, 0, 2, null],
      [2, 0, 3, null],
      [3, 0, 2, 'n'],
      [4, 0, 2, null],
      ...[0, 1, 2].map((day) => [5, day, [50_000, 100_000, 3][day], null]),
    ]);
  });

  it('gives each habit an id of its own, the same each time', async () => {
    const habits = [aHabit(), aHabit({ sourceId: '0194a1d0-5f6e-7c1a-9b3e-2f4d5a6b7c8d' }), aHabit({ name: 'Swim' })];
    const ids = (await rowsOf(habits, 'SELECT uuid FROM Habits')).flat();
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect((await rowsOf(habits, 'SELECT uuid FROM Habits')).flat()).toEqual(ids);
    expect(ids).not.toContain('0194a1d05f6e7c1a9b3e2f4d5a6b7c8d');
  });
});
