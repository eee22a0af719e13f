import { createHash } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { seedPeople, type PeopleOptions } from '@evenkeel/ops/seed';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { withLogs } from './account.fixture';
import { EraseAccounts } from './delete-account';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const sql = <Row>(text: string, values: unknown[] = []) => accounts.database.dataSource.query<Row[]>(text, values);
const remove = (person: Person, body?: object) => accounts.ask('DELETE', '/v1/account', { token: person.token, body });

/** Every row of every table that holds the text. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const found = await Promise.all(
    tables.map(({ name }) =>
      sql<{ row: string }>(`SELECT '${name} ' || t::text AS row FROM ${name} t WHERE t::text LIKE $1`, [`%${text}%`]),
    ),
  );
  return found.flat().map(({ row }) => row);
}

describe('deletion', () => {
  it('ends the account at once, with a receipt, and leaves no row of it', async () => {
    const person = await accounts.person({ displayName: 'Somebody Special' });
    await withLogs(accounts, person, 12_000);
    const { status, body } = await remove(person, { password: person.password });
    expect([status, body]).toEqual([202, { receiptId: expect.any(String), erasedBy: '2026-02-01T12:00:00.000Z' }]);
    expect((await accounts.ask('GET', '/v1/auth/me', { token: person.token })).status).toBe(401);
    const { email, password } = person;
    expect((await accounts.ask('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(401);
    expect(await rowsWith(person.email)).toEqual([]);

    await accounts.app.get(EraseAccounts).runOnce();
    await eventually(async () => {
      const left = (await rowsWith(person.id)).map((row) => row.split(' ')[0]);
      expect([...new Set(left)].sort()).toEqual(['outbox', 'outbox_numbers']);
    });
    for (const text of ['Somebody Special', 'felt like flying']) expect(await rowsWith(text)).toEqual([]);
    const events = await sql<{ type: string; payload: object }>(
      `SELECT type, payload FROM outbox WHERE aggregate = $1 ORDER BY seq DESC LIMIT 1`,
      [person.id],
    );
    const payload = { userId: person.id, receiptId: body.receiptId, deletedAt: '2026-01-31T12:00:00.000Z' };
    expect(events).toEqual([{ type: 'user.deleted', payload }]);
  });

  it('leaves no address that waits, and no trace of wrong passwords', async () => {
    const person = await accounts.person();
    const { email, password, token } = person;
    const login = { email: email.toUpperCase(), password: 'wrong' };
    expect((await accounts.ask('POST', '/v1/auth/login', { body: login })).status).toBe(401);
    const change = { email: `new-${email}`, password };
    expect((await accounts.ask('POST', '/v1/auth/email/change', { token, body: change })).status).toBe(202);
    // As if no worker had looked yet.
    await sql(`INSERT INTO reset_requests (id, email_key, asked_at) VALUES (gen_random_uuid(), $1, now())`, [email]);
    expect((await remove(person)).status).toBe(202);
    // One that a worker is answering goes with its answer.
    await eventually(async () => expect(await rowsWith(email)).toEqual([]));
    const hash = createHash('sha256').update(email).digest('hex');
    expect(await rowsWith(hash)).toEqual([]);
  });

  it('leaves the address free for a new account', async () => {
    const { email, password, ...person } = await accounts.person();
    await remove({ email, password, ...person }, { password });
    const { status, body } = await accounts.ask('POST', '/v1/auth/register', { body: { email, password } });
    expect([status, body.user]).toMatchObject([201, { email }]);
    expect((body.user as { id: string }).id).not.toBe(person.id);
  });

  it('takes a fresh sign-in in place of the password, for five minutes', async () => {
    const [fresh, late] = [await accounts.person(), await accounts.person()];
    accounts.clock.advanceMs(300_000);
    expect((await remove(fresh)).status).toBe(202);
    accounts.clock.advanceMs(1);
    expect(await remove(late)).toMatchObject({ status: 401, body: { error: 'reauthentication_required' } });
    expect(await remove(late, {})).toMatchObject({ status: 401, body: { error: 'reauthentication_required' } });
    expect(await remove(late, { password: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_credentials' },
    });
    expect((await accounts.ask('GET', '/v1/auth/me', { token: late.token })).status).toBe(200);
  });

  it('refuses what it does not know', async () => {
    const person = await accounts.person();
    for (const body of [{ password: 5 }, { password: person.password, really: true }, []]) {
      expect(await remove(person, body)).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
    }
    expect((await accounts.ask('DELETE', '/v1/account', { body: { password: 'x' } })).status).toBe(401);
  });

  it('happens once, however often it is asked for at once', async () => {
    const person = await accounts.person();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 401, 401, 401, 401]);
  });
});

const OPTIONS: PeopleOptions = {
  people: 2,
  habits: 12,
  days: 40,
  password: 'seven quiet otters',
  seed: 3,
  until: '2026-01-31',
};

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
