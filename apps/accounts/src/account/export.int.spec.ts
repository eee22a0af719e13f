import { once } from 'node:events';
import { connect } from 'node:net';
import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';
import { withInsights, withLogs } from './account.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { imported, exported, exportedAccount } = fileTransfer(() => accounts);

interface Exported {
  habits: { name: string; sourceId: string; logs: { note: string }[] }[];
  insights: object[];
}

const get = ({ token }: Person) =>
  fetch(`${accounts.running.url}/v1/account/export`, { headers: { authorization: `Bearer ${token}` } });

it('is one document of everything', async () => {
  const person = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  await withLogs(accounts, person, 4_500);
  const { status, headers, body } = await accounts.ask('GET', '/v1/account/export', { token: person.token });
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="evenkeel-account.json"']);
  const { habits, ...rest } = body as unknown as Exported;
  expect(rest).toMatchObject({
    format: 'evenkeel.account',
    version: 1,
    sessions: [{ network: expect.any(String) }],
    profile: { email: person.email, displayName: 'Ana', timezone: 'Europe/Madrid', weekStart: 'MONDAY' },
    insights: [],
    usage: [],
    entitlements: [],
  });
  expect(habits.map(({ name }) => name)).toEqual(['Morning run']);
  expect(new Set(habits[0]!.logs.map(({ note }) => note)).size).toBe(4_500);
  expect(JSON.stringify(body)).not.toContain(person.id);
});

it('has nothing of others', async () => {
  const [one, other] = [await accounts.person(), await accounts.person()];
  await withLogs(accounts, other, 3);
  const { body } = await accounts.ask('GET', '/v1/account/export', { token: one.token });
  expect(body.habits).toEqual([]);
});

it('has every insight of years', async () => {
  const person = await accounts.person();
  const habitId = await withLogs(accounts, person, 1);
  await withInsights(accounts, person, habitId, 10_001, 10);
  const { insights } = JSON.parse((await exportedAccount(person)).toString()) as Exported;
  expect(insights).toHaveLength(100_010);
});

/** More than the buffers between the two sides hold while nobody reads. */
const [MANY, LONG] = [6_000, 4_000];

it('is of one moment, however long its reader takes', async () => {
  const person = await accounts.person();
  const habitId = await withLogs(accounts, person, MANY, LONG);
  await withInsights(accounts, person, habitId, 10, 1);
  const reader = (await get(person)).body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts = [(await reader.read()).value!];
  expect((await accounts.ask('DELETE', `/v1/habits/${habitId}`, { token: person.token })).status).toBe(204);
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  const { habits, insights } = JSON.parse(Buffer.concat(parts).toString()) as Exported;
  expect([habits[0]!.logs.length, insights.length]).toEqual([MANY, 10]);
});

describe('one of a person, and a few at a time', () => {
  it('are sent, and a second one is refused until the first is over', async () => {
    const [person, other] = [await accounts.person(), await accounts.person()];
    for (const each of [person, other]) await withLogs(accounts, each, MANY, LONG);
    const open = [await get(person), await get(other)];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    for (const path of ['/v1/account/export', '/v1/habits/export']) {
      const refused = await accounts.ask('GET', path, { token: person.token });
      expect(refused).toMatchObject({
        status: 429,
        body: { error: 'rate_limited', details: { scope: 'concurrency' } },
      });
    }
    await open[0]!.body!.cancel();
    const next = await eventually(async () => {
      const response = await get(person);
      expect(response.status).toBe(200);
      return response;
    });
    for (const { body } of [open[1]!, next]) await body!.cancel();
  });

  it('are still sent after readers that went away, at whatever moment', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => accounts.person()));
    for (const [moment, person] of people.entries()) await abandoned(person, moment);
    await eventually(async () => {
      const all = await Promise.all(people.slice(0, 3).map(get));
      await Promise.all(all.map((response) => response.text()));
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
  });

  /** Asks, and closes the connection so many turns of the loop after the server has the request. */
  async function abandoned({ token }: Person, turns: number): Promise<void> {
    const { hostname, port } = new URL(accounts.running.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET /v1/account/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
});

describe('goes in again', () => {
  /** Habits from a file, one of them under another name since; some made by hand, two of them alike; logs on moved days. */
  async function somebody(): Promise<Person> {
    const person = await accounts.person({ timezone: 'Europe/Madrid' });
    await accounts.grantPremium(person.id);
    await imported(person, 'habit,date,value,note\nRun,2026-01-05,1,fog\nRun,2026-01-06,0.5,\nRead,2026-01-05,skip,\n');
    const { token } = person;
    const { body } = await accounts.ask('GET', '/v1/habits', { token });
    const run = (body.habits as { id: string; name: string }[]).find(({ name }) => name === 'Run')!;
    expect((await accounts.ask('PATCH', `/v1/habits/${run.id}`, { token, body: { name: 'Jog' } })).status).toBe(200);
    for (const name of ['Run', 'Run', 'Swim']) {
      const { body: made } = await accounts.ask('POST', '/v1/habits', { token, body: { name } });
      for (const day of ['05', '05', '06']) await log(token, String(made.id), `2026-01-${day}T0${name.length}:00:00Z`);
      await log(token, String(made.id), `2026-01-${name === 'Swim' ? '20' : '21'}T08:00:00Z`);
    }
    const { body: list } = await accounts.ask('GET', `/v1/habits/${run.id}/logs`, { token });
    const [newest] = list.logs as { id: string }[];
    const moved = { occurredAt: '2026-01-10T09:00:00Z' };
    expect(
      (await accounts.ask('PATCH', `/v1/habits/${run.id}/logs/${newest!.id}`, { token, body: moved })).status,
    ).toBe(200);
    await log(token, run.id, '2026-01-06T10:00:00Z');
    return person;
  }

  async function log(token: string, habitId: string, occurredAt: string): Promise<void> {
    const body = { occurredAt, status: 'COMPLETED', note: `at ${occurredAt}` };
    const { status } = await accounts.ask('POST', `/v1/habits/${habitId}/logs`, { token, body });
    expect(status).toBe(201);
  }

  it('into a fresh account, with all habits and logs', async () => {
    const [person, fresh] = [await somebody(), await accounts.person()];
    await accounts.grantPremium(fresh.id);
    const report = await imported(fresh, await exportedAccount(person));
    expect(report).toMatchObject({ rejects: [], habits: { created: 5, skipped: 0 }, logs: { rejected: 0 } });
    const [before, after] = [await exported(person, 'json'), await exported(fresh, 'json')];
    expect(after.toString()).toBe(before.toString());
  });

  it('into the account that it came from, and nothing changes', async () => {
    const person = await somebody();
    const before = await exported(person, 'json');
    const report = await imported(person, await exportedAccount(person));
    expect(report).toMatchObject({ habits: { created: 0, matched: 5 }, logs: { created: 0, rejected: 0 } });
    expect((await exported(person, 'json')).toString()).toBe(before.toString());
  });
});

describe('a database that takes its time over logs', () => {
  const query = (statement: string) => accounts.database.dataSource.query(statement);

  /** A third of a second for every thousandth: for all of them together longer than a statement may take. */
  beforeAll(async () => {
    await query(`
      CREATE FUNCTION slowly(day date) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN
        IF (day - '2000-01-01') % 1000 = 0 THEN PERFORM pg_sleep(0.35); END IF;
        RETURN true;
      END $$`);
    await query('ALTER TABLE habit_logs RENAME TO given_slowly');
    await query('CREATE VIEW habit_logs AS SELECT * FROM given_slowly WHERE slowly(local_date)');
  });
  afterAll(async () => {
    await query('DROP VIEW habit_logs');
    await query('ALTER TABLE given_slowly RENAME TO habit_logs');
  });

  it('gives all of them to both exports, and to an import that has them already', async () => {
    const person = await accounts.person();
    await withLogs(accounts, person, 9_000);
    const file = await exported(person, 'json');
    const [habit] = (JSON.parse(file.toString()) as Exported).habits;
    expect(habit!.logs).toHaveLength(9_000);
    const account = JSON.parse((await exportedAccount(person)).toString()) as Exported;
    expect(account.habits[0]!.logs).toHaveLength(9_000);
    expect((await imported(person, file)).logs).toEqual({ created: 0, duplicate: 9_000, rejected: 0 });
  });
});
