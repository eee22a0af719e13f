import {
  asLoopCounts,
  LOOP_HABITS,
  LOOP_ZIP,
  loopDatabase,
  markedHabit,
  zipOf,
  type LoopMark,
} from '@evenkeel/habit-files/testing';
import { audit } from '@evenkeel/ops/audit';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from './transfer.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { upload, imported, exported, rowsOf } = fileTransfer(() => accounts);

async function createHabit({ token }: Person, body: object): Promise<string> {
  const { status, body: habit } = await accounts.ask('POST', '/v1/habits', { token, body });
  expect(status).toBe(201);
  return String(habit.id);
}

async function log({ token }: Person, habitId: string, occurredAt: string, more: object = {}): Promise<void> {
  const body = { occurredAt, status: 'COMPLETED', ...more };
  const { status } = await accounts.ask('POST', `/v1/habits/${habitId}/logs`, { token, body });
  expect(status).toBe(201);
}

/** The number of logs of each habit. */
const countsOf = ({ id }: Person) =>
  accounts.database.dataSource.query<{ habit: string; logs: number }[]>(
    `SELECT habit_id AS habit, count(*)::integer AS logs FROM habit_logs WHERE user_id = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );

/** Two habits of one name, made by hand: the one that begins later was done first. */
async function withTwins(): Promise<Person> {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  const first = await createHabit(person, { name: 'Run', startDate: '2026-01-01T08:00:00Z' });
  const second = await createHabit(person, { name: 'Run', startDate: '2026-01-03T08:00:00Z' });
  await createHabit(person, { name: 'Not yet' });
  await log(person, second, '2026-01-05T07:00:00Z', { note: 'uphill' });
  for (const hour of ['07', '19']) await log(person, first, `2026-01-06T${hour}:00:00Z`, { moodScore: 7 });
  await log(person, second, '2026-01-06T07:00:00Z', { status: 'PARTIAL', completionRate: 0.25 });
  await log(person, second, '2026-01-07T07:00:00Z', { status: 'SKIPPED' });
  await log(person, first, '2026-01-08T22:30:00Z');
  return person;
}

describe.each(['json', 'csv', 'loop'])('%s of habits that were made by hand, two of one name,', (format) => {
  it('goes into the account that it came from, and changes nothing', async () => {
    const person = await withTwins();
    const [bytes, json, before] = [
      await exported(person, format),
      await exported(person, 'json'),
      await countsOf(person),
    ];
    for (const _ of ['once', 'twice']) {
      const report = await imported(person, bytes);
      expect(report).toMatchObject({ habits: { created: 0 }, logs: { created: 0, rejected: 0 }, rejects: [] });
    }
    expect(await countsOf(person)).toEqual(before);
    expect((await exported(person, 'json')).toString()).toBe(json.toString());
  });

  it('goes into a fresh account and out again as the same bytes', async () => {
    const [person, fresh] = [await withTwins(), await accounts.person()];
    await imported(fresh, await exported(person, format));
    expect(await exported(fresh, format)).toEqual(await exported(person, format));
  });
});

it('brings what is new in a later file, and leaves the rest', async () => {
  const person = await withTwins();
  const csv = (await exported(person, 'csv')).toString();
  const report = await imported(person, `${csv}Run,2026-01-09,yes,\r\nRun (2),2026-01-10,yes,\r\n`);
  expect(report).toMatchObject({ habits: { created: 0, matched: 2 }, logs: { created: 2, rejected: 0 } });
  expect((await countsOf(person)).map(({ logs }) => logs).sort()).toEqual([4, 4]);
});

describe('a few at a time', () => {
  const CSV = 'habit,date,value\nRun,2026-01-05,1\n';
  const TOO_MANY = { status: 429, body: { error: 'rate_limited', details: { scope: 'concurrency' } } };

  it('are imported, as many wait, others are refused, and whoever comes later is not', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => accounts.person()));
    // As each begins a process of its own, all others are there before the first is done.
    const answers = await Promise.all(people.map((person) => upload(person, CSV)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused.length).toBeLessThanOrEqual(10);
    for (const answer of refused) expect(answer).toMatchObject(TOO_MANY);
    const rows = await Promise.all(people.map(rowsOf));
    expect(rows.filter(({ logs }) => logs === 1)).toHaveLength(12 - refused.length);
    const unreadable = await Promise.all(people.slice(0, 2).map((person) => upload(person, 'nothing of ours')));
    expect(unreadable.map(({ status }) => status)).toEqual([400, 400]);
    expect(
      (await Promise.all(people.slice(0, 2).map((person) => upload(person, CSV)))).map(({ status }) => status),
    ).toEqual([200, 200]);
  });

  it('are exported, one of a person, and whoever comes later is not refused', async () => {
    const people = [await withTwins(), await withTwins()];
    const get = ({ token }: Person) => accounts.ask('GET', '/v1/habits/export?format=loop', { token });
    const [ofOne, other] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => get(people[0]!))),
      get(people[1]!),
    ]);
    // Whichever of the four is first.
    expect([other, ...ofOne].filter(({ status }) => status === 200)).toHaveLength(2);
    expect(other.status).toBe(200);
    for (const answer of ofOne.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(TOO_MANY);
    expect((await get(people[0]!)).status).toBe(200);
  });

  it('are imported, one of a person', async () => {
    const person = await accounts.person();
    const answers = await Promise.all([upload(person, CSV), upload(person, CSV), upload(person, CSV)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  });
});

it('habits that begin in the year 1 are rejected, as they are when they are created', async () => {
  const person = await accounts.person();
  await accounts.grantPremium(person.id);
  const begins = ['0001-01-01', '1999-12-31', '2000-01-01', '2099-12-31', '2100-01-01'];
  const habits = begins.flatMap((day) => [
    { name: `Given ${day}`, startDate: day },
    { name: `Created ${day}`, createdOn: day },
  ]);
  const report = await imported(person, JSON.stringify({ habits }));
  expect(report.habits).toEqual({ created: 4, matched: 0, skipped: 6, archived: 0 });
  expect(new Set(report.rejects.map(({ reason }) => reason))).toEqual(
    new Set(['startDate is not from 2000 to 2099', 'createdOn is not from 2000 to 2099']),
  );
});

async function premium(): Promise<Person> {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  await accounts.grantPremium(person.id);
  return person;
}

interface Habit {
  id: string;
  name: string;
  status: string;
  cadence: string;
  targetPerWeek: number;
  description: string | null;
  stats: { currentStreak: number; bestStreak: number; strength: number };
}

async function habitsOf({ token }: Person): Promise<Habit[]> {
  const { status, body } = await accounts.ask('GET', '/v1/habits?status=all', { token });
  expect(status).toBe(200);
  return body.habits as Habit[];
}

/** As `2026-01-05 COMPLETED 1 in the rain`, oldest first. */
async function logsOf({ token }: Person, { id }: Habit): Promise<string[]> {
  const { status, body } = await accounts.ask('GET', `/v1/habits/${id}/logs`, { token });
  expect(status).toBe(200);
  const logs = body.logs as { localDate: string; status: string; completionRate: number; note: string | null }[];
  return logs
    .map(({ localDate, status: done, completionRate, note }) =>
      `${localDate} ${done} ${completionRate} ${note ?? ''}`.trim(),
    )
    .sort();
}

/** Of notes such as `Reminders left out: 1.`, the count. */
function countIn(notes: readonly string[], beginning: string): number {
  return Number(
    notes
      .find((note) => note.startsWith(beginning))
      ?.split(': ')[1]
      ?.replace('.', '') ?? 0,
  );
}

describe.each([12, 16, 22, 24, 25])('a backup of version %i', (version) => {
  const habits = LOOP_HABITS.filter(({ type }) => type === undefined || version >= 16);

  it('arrives, what does not is named, and the second time creates nothing', async () => {
    const person = await premium();
    const report = await imported(person, await loopDatabase(version));
    expect(report).toMatchObject({
      ...{ format: 'loop-database', rejects: [] },
      habits: { created: habits.length, matched: 0, skipped: 0 },
    });
    const found = await habitsOf(person);
    expect(found.map(({ name }) => name)).toEqual(habits.map(({ name }) => name));
    const kinds = found.map(({ name, cadence, targetPerWeek, status }) =>
      [name, cadence, targetPerWeek, status].join(' '),
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'Walk DAILY 7 ACTIVE',
        'Swim WEEKLY 3 ACTIVE',
        'Budget WEEKLY 1 ACTIVE',
        'Old one DAILY 7 ARCHIVED',
      ]),
    );
    expect(found[0]!.description).toBe(version >= 23 ? 'Did you walk?\n\nround the lake' : 'round the lake');
    expect(await logsOf(person, found[0]!)).toEqual([
      `2026-01-05 COMPLETED 1${version >= 25 ? ' in the rain' : ''}`,
      ...['2026-01-06 COMPLETED 1', '2026-01-08 SKIPPED 0', '2026-01-11 COMPLETED 1'],
    ]);
    const days = habits.flatMap(({ values }) => values).filter((value) => value !== undefined);
    const named = countIn(report.notes, 'Days marked as not done') + countIn(report.notes, 'Days marked as unknown');
    expect(named).toBe(version >= 16 ? 3 : 2);
    expect(report.logs.created + named + countIn(report.notes, 'Days filled in')).toBe(days.length);
    expect(await rowsOf(person)).toEqual({ habits: habits.length, logs: report.logs.created });
    expect(countIn(report.notes, 'Reminders')).toBe(1);
    for (const name of ['Water plants', 'Budget', ...(version >= 16 ? ['Pages', 'Coffee'] : [])]) {
      expect(report.notes.filter((note) => note.startsWith(`"${name}"`))).toHaveLength(1);
    }
    expect(await imported(person, await loopDatabase(version))).toMatchObject({
      habits: { created: 0, matched: habits.length },
      logs: { created: 0, duplicate: report.logs.created, rejected: 0 },
    });
  });

  it("shows Loop's own streaks and strength of a daily habit", async () => {
    const person = await premium();
    // To the last day, which is today.
    const marks = [...'dddmdddddda-dddddmdddddddd-'].slice(0, 26).concat('d') as LoopMark[];
    await imported(person, await loopDatabase(version, markedHabit('Daily', marks)));
    const { stats } = (await habitsOf(person)).find(({ name }) => name === 'Daily')!;
    const shown = asLoopCounts(marks);
    expect(stats).toMatchObject({ currentStreak: shown.current, bestStreak: shown.best });
    expect(Math.abs(stats.strength - shown.strength)).toBeLessThan(0.01);
  });
});

it('a zip arrives, and what does not is named', async () => {
  const person = await premium();
  const report = await imported(person, zipOf(LOOP_ZIP));
  expect(report).toMatchObject({
    ...{ format: 'loop-zip', rejects: [], habits: { created: 3 }, logs: { created: 6, rejected: 0 } },
  });
  const [walk, pages, swim] = await habitsOf(person);
  expect([walk, pages, swim]).toMatchObject([
    { name: 'Walk, far', cadence: 'DAILY', description: 'Did you walk?', status: 'ACTIVE' },
    { name: 'Pages', cadence: 'DAILY', status: 'ACTIVE' },
    { name: 'Swim', cadence: 'WEEKLY', targetPerWeek: 3, status: 'ARCHIVED' },
  ]);
  expect(await logsOf(person, walk!)).toEqual(['2026-01-05 COMPLETED 1', '2026-01-08 SKIPPED 0 a\nnote']);
  expect(await logsOf(person, pages!)).toEqual(['2026-01-05 COMPLETED 1', '2026-01-06 PARTIAL 0.25']);
  expect(await logsOf(person, swim!)).toEqual(['2026-01-04 COMPLETED 1', '2026-01-07 COMPLETED 1']);
  for (const beginning of ['"Pages" counts', 'Days marked as not done', 'Days filled in']) {
    expect(report.notes.filter((note) => note.startsWith(beginning))).toHaveLength(1);
  }
  expect(await imported(person, zipOf(LOOP_ZIP))).toMatchObject({ habits: { created: 0 }, logs: { created: 0 } });
});
