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
    const bytes = await exported(person, format);
    expect(bytes.includes(person.id)).toBe(false);
    await imported(fresh, bytes);
    expect(await exported(fresh, format)).toEqual(bytes);
  });
});

it.each([
  ['2000-01-01T00:00:00Z', 'America/New_York'],
  ['2099-12-31T23:59:59Z', 'Pacific/Kiritimati'],
])('a habit that begins at %s in %s goes into a fresh account with its logs', async (startDate, timezone) => {
  const [person, fresh] = [await accounts.person({ timezone }), await accounts.person({ timezone })];
  const id = await createHabit(person, { name: 'Run', startDate });
  await log(person, id, '2026-01-05T07:00:00Z');
  const bytes = await exported(person, 'json');
  expect(await imported(fresh, bytes)).toMatchObject({ habits: { created: 1 }, logs: { created: 1 }, rejects: [] });
  expect(await exported(fresh, 'json')).toEqual(bytes);
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
});
