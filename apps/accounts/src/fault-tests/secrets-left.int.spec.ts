import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Accounts, type Person } from '../accounts.fixture';

const NOTE = 'a note for nobody else';

let accounts: Accounts;
let person: Person;
beforeAll(async () => {
  accounts = await Accounts.start();
  person = await accounts.person();
  const { token } = person;
  const { id } = (await accounts.ask('POST', '/v1/habits', { token, body: { name: 'Run' } })).body;
  const body = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED', note: NOTE };
  expect((await accounts.ask('POST', `/v1/habits/${String(id)}/logs`, { token, body })).status).toBe(201);
});
afterAll(async () => {
  // The last test has written secrets into the log, where they stay.
  await expect(accounts.close()).rejects.toThrow('secrets are left: log: ');
});

it('no suite leaves any: the note of a log is in its own table alone', async () => {
  expect(await accounts.secretsLeft()).toEqual([]);
});

it.each<[string, (value: string) => [string, string]]>([
  ['sessions', (value) => [`UPDATE sessions SET user_agent = '${value}'`, 'UPDATE sessions SET user_agent = NULL']],
  [
    'outbox',
    (value) => [
      `UPDATE outbox SET payload = payload || '{"more": "${value}"}'`,
      `UPDATE outbox SET payload = payload - 'more'`,
    ],
  ],
  [
    'security_events',
    (value) => [
      `INSERT INTO security_events (id, kind, occurred_at) VALUES ('${randomUUID()}', '${value}', now())`,
      `DELETE FROM security_events WHERE user_id IS NULL`,
    ],
  ],
])('a token, a password, a note and an address in %s are found', async (table, statementsOf) => {
  for (const value of [person.token, person.refreshToken, person.password, NOTE, person.email]) {
    const [plant, remove] = statementsOf(value);
    await accounts.database.dataSource.query(plant);
    const found = (await accounts.secretsLeft()).filter((left) => left.startsWith(`${table}: `));
    expect(found.map((left) => value.startsWith(left.slice(table.length + 2)))).toEqual([true]);
    await accounts.database.dataSource.query(remove);
  }
  expect(await accounts.secretsLeft()).toEqual([]);
});

it('a token in a table for words of people is found too', async () => {
  await accounts.database.dataSource.query('UPDATE habit_logs SET note = $1', [person.refreshToken]);
  expect(await accounts.secretsLeft()).toEqual([expect.stringMatching(/^habit_logs.*: hrr_/)]);
  await accounts.database.dataSource.query('UPDATE habit_logs SET note = NULL');
});

it('they are found in the log', async () => {
  new Logger('test').warn({ message: `somebody wrote ${NOTE}` });
  expect(await accounts.secretsLeft()).toEqual([`log: ${NOTE}`]);
});
