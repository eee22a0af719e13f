import { createHash } from 'node:crypto';
import { seedPeople } from '@evenkeel/ops/seed';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { HabitsOf } from '../habits/habits.fixture';
import { withLogs } from './account.fixture';
import { EraseAccounts } from './delete-account';

const accounts = Accounts.forSuite({}, { audited: true });

const remove = ({ token }: Person, body?: object) => accounts.ask('DELETE', '/v1/account', { token, body });

/** Every row of every table that holds the text. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await accounts.sql<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const found = await Promise.all(
    tables.map(({ name }) =>
      accounts.sql<{ row: string }>(
        `SELECT '${name} ' || t::text AS row FROM ${name} t WHERE t::text LIKE $1`,
        `%${text}%`,
      ),
    ),
  );
  return found.flat().map(({ row }) => row);
}

describe('deletion', () => {
  it('ends the account at once, with a receipt, leaves no row of it, and the address free for a new one', async () => {
    const person = await accounts.person({ displayName: 'Somebody Special' });
    const { id, email, password } = person;
    await withLogs(accounts, person, 12_000);
    const { status, body } = await remove(person, { password });
    expect([status, body]).toEqual([202, { receiptId: expect.any(String), erasedBy: '2026-02-01T12:00:00.000Z' }]);
    expect(await accounts.statusOf(person.token)).toBe(401);
    expect(await rowsWith(email)).toEqual([]);
    const events = await accounts.events(id);
    const data = { userId: id, receiptId: body.receiptId, deletedAt: '2026-01-31T12:00:00.000Z' };
    expect(events.at(-1)).toEqual({ type: 'user.deleted', data });
    const again = await accounts.ask('POST', '/v1/auth/register', { body: { email, password } });
    expect([again.status, again.text.includes(id)]).toEqual([201, false]);

    await accounts.app.get(EraseAccounts).runOnce();
    await eventually(async () => {
      const left = (await rowsWith(id)).map((row) => row.split(' ')[0]);
      expect([...new Set(left)].sort()).toEqual(['outbox', 'outbox_numbers']);
    });
    for (const text of ['Somebody Special', 'felt like flying']) expect(await rowsWith(text)).toEqual([]);
  });

  it('leaves no address that waits, and no trace of wrong passwords', async () => {
    const person = await accounts.person();
    const { email, password, token } = person;
    const change = { email: `new-${email}`, password };
    const hash = createHash('sha256').update(email).digest('hex');
    expect((await accounts.ask('POST', '/v1/auth/email/change', { token, body: change })).status).toBe(202);
    // After the change: a right password forgets the wrong ones before it.
    await accounts.signIn({ email: email.toUpperCase(), password: 'wrong' });
    expect(await rowsWith(hash)).toHaveLength(1);
    // As if no worker had looked yet.
    const asked = 'INSERT INTO reset_requests (id, email_key, asked_at) VALUES (gen_random_uuid(), $1, now())';
    await accounts.sql(asked, email);
    expect((await remove(person)).status).toBe(202);
    // One that a worker is answering goes with its answer.
    await eventually(async () => expect(await rowsWith(email)).toEqual([]));
    expect(await rowsWith(hash)).toEqual([]);
  });

  it('takes a fresh sign-in in place of the password, for five minutes', async () => {
    const [fresh, late] = [await accounts.person(), await accounts.person()];
    accounts.clock.advanceMs(300_000);
    expect((await remove(fresh)).status).toBe(202);
    accounts.clock.advanceMs(1);
    for (const [body, error] of [
      [undefined, 'reauthentication_required'],
      [{}, 'reauthentication_required'],
      [{ password: 'wrong' }, 'invalid_credentials'],
    ] as const)
      expect(await remove(late, body)).toMatchObject({ status: 401, body: { error } });
    expect((await remove(late, [])).status).toBe(400);
    expect(await accounts.statusOf(late.token)).toBe(200);
  });

  it('happens once, however often it is asked for at once', async () => {
    const person = await accounts.person();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 401, 401, 401, 401]);
  });
});

it('seeded people sign in, and have habits and logs as if they had made them', async () => {
  const password = 'seven quiet otters';
  const seeds = { people: 2, habits: 12, days: 40, password, seed: 3, until: '2026-01-31' };
  for (const { email, id, habitId } of await seedPeople(accounts.database.url, seeds)) {
    const of = new HabitsOf(accounts, { id, email, password, ...(await accounts.signIn({ email, password })) });
    const habits = await of.list();
    expect([habits.length, habits[0]!.id]).toEqual([12, habitId]);
    for (const { stats } of habits) expect(stats.completionRate).toBeGreaterThan(0.3);
    const { body } = await of.ask('GET', '/changes?limit=1000');
    expect([(body.habits as object[]).length, (body.logs as object[]).length]).toEqual([12, 12 * 40]);
    expect((await of.log(habitId)).status).toBe(201);
    expect((await of.ask('GET', `/changes?cursor=${String(body.next_cursor)}`)).body.logs).toHaveLength(1);
    expect((await of.ask('POST', '/analyze', {})).status).toBe(200);
  }
});
