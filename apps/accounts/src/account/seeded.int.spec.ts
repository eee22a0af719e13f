import { audit } from '@evenkeel/ops/audit';
import { createTestDatabase } from '@evenkeel/platform/testing';
import { seedPeople, type PeopleOptions } from '@evenkeel/ops/seed';
import { Accounts } from '../accounts.fixture';
import { ENTITIES, MIGRATIONS } from '../database';

const OPTIONS: PeopleOptions = {
  ...{ people: 2, habits: 12, days: 40, password: 'seven quiet otters', seed: 3, until: '2026-01-31' },
};
const DATABASE = { name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS };

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

it('seeded people sign in, and have habits and logs as if they had made them', async () => {
  const people = await seedPeople(accounts.database.url, OPTIONS);
  expect(people.map(({ email }) => email)).toEqual(['seed-1@example.com', 'seed-2@example.com']);
  for (const { email, id, habitId } of people) {
    const credentials = { email, password: OPTIONS.password };
    const { status, body } = await accounts.ask('POST', '/v1/auth/login', { body: credentials });
    expect([status, body.user]).toMatchObject([200, { id, tier: 'PREMIUM', emailVerified: true }]);
    const token = String(body.accessToken);
    const { body: list } = await accounts.ask('GET', '/v1/habits', { token });
    const habits = list.habits as { id: string; stats: { completionRate: number } }[];
    expect([habits.length, habits[0]!.id]).toEqual([12, habitId]);
    for (const { stats } of habits) expect(stats.completionRate).toBeGreaterThan(0.3);
    const { body: changes } = await accounts.ask('GET', '/v1/habits/changes?limit=1000', { token });
    expect([(changes.habits as object[]).length, (changes.logs as object[]).length]).toEqual([12, 12 * 40]);
    const added = { occurredAt: '2026-01-31T11:00:00Z', status: 'COMPLETED' };
    expect((await accounts.ask('POST', `/v1/habits/${habitId}/logs`, { token, body: added })).status).toBe(201);
    const after = `/v1/habits/changes?cursor=${encodeURIComponent(String(changes.next_cursor))}`;
    expect((await accounts.ask('GET', after, { token })).body.logs).toHaveLength(1);
    expect((await accounts.ask('POST', '/v1/habits/analyze', { token, body: {} })).status).toBe(200);
  }
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});

it('others come behind those who are there', async () => {
  const [third] = await seedPeople(accounts.database.url, { ...OPTIONS, people: 1, days: 0 });
  expect(third!.email).toBe('seed-3@example.com');
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});

it('equal options make equal rows in an empty database', async () => {
  const databases = [await createTestDatabase(DATABASE), await createTestDatabase(DATABASE)];
  const rowsOf = async ({ url, dataSource }: (typeof databases)[number]): Promise<string[]> => {
    await seedPeople(url, OPTIONS);
    const tables = ["(SELECT to_jsonb(u) - 'password_hash' FROM users u)", 'entitlements', 'habits', 'habit_logs'];
    const rows = await Promise.all(
      tables.map((table) => dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${table} t`)),
    );
    return rows
      .flat()
      .map(({ row }) => row)
      .sort();
  };
  try {
    const [one, other] = await Promise.all(databases.map(rowsOf));
    expect(one!.length).toBeGreaterThan(2 * 12 * 40);
    expect(other).toEqual(one);
  } finally {
    for (const database of databases) await database.drop();
  }
});

it('a database of something else is refused with a sentence', async () => {
  const empty = await createTestDatabase({ ...DATABASE, name: 'empty', migrations: [] });
  try {
    await expect(seedPeople(empty.url, OPTIONS)).rejects.toThrow('run the migrations of accounts first');
  } finally {
    await empty.drop();
  }
});
