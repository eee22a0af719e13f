import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { HabitsOf } from '../habits/habits.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';
import { withInsights, withLogs } from './account.fixture';

const accounts = Accounts.forSuite({}, { audited: true });

const { imported, exported, exportedAccount } = fileTransfer(() => accounts);

interface Exported {
  habits: { name: string; sourceId: string; logs: { note: string }[] }[];
  insights: object[];
}

const get = ({ token }: Person) =>
  fetch(`${accounts.running.url}/v1/account/export`, { headers: { authorization: `Bearer ${token}` } });
const read = async (person: Person) => JSON.parse((await exportedAccount(person)).toString()) as Exported;

it('is one document of everything, with every insight of years, and nothing of others', async () => {
  const person = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  const other = await accounts.person();
  const habitId = await withLogs(accounts, person, 4_500);
  await withInsights(accounts, person, habitId, 10_001, 10);
  await withLogs(accounts, other, 3);
  const response = await get(person);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="evenkeel-account.json"');
  const text = await response.text();
  const { habits, insights, ...rest } = JSON.parse(text) as Exported;
  expect(rest).toMatchObject({
    format: 'evenkeel.account',
    version: 1,
    sessions: [{ network: expect.any(String) }],
    profile: { email: person.email, displayName: 'Ana', timezone: 'Europe/Madrid', weekStart: 'MONDAY' },
    securityEvents: [{ kind: 'registered' }],
  });
  expect(habits.map(({ name }) => name)).toEqual(['Morning run']);
  expect(new Set(habits[0]!.logs.map(({ note }) => note)).size).toBe(4_500);
  expect(insights).toHaveLength(100_010);
  expect(text).not.toContain(person.id);
});

/** More than the buffers between the two sides hold while nobody reads. */
const [MANY, LONG] = [6_000, 4_000];

it('is of one moment, however long its reader takes', async () => {
  const person = await accounts.person();
  const habitId = await withLogs(accounts, person, MANY, LONG);
  await withInsights(accounts, person, habitId, 10, 1);
  const reader = (await get(person)).body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts = [(await reader.read()).value!];
  expect((await new HabitsOf(accounts, person).ask('DELETE', `/${habitId}`)).status).toBe(204);
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
    for (const path of ['/v1/account/export', '/v1/habits/export'])
      expect(await accounts.ask('GET', path, { token: person.token })).toMatchObject({
        status: 429,
        body: { error: 'rate_limited', details: { scope: 'concurrency' } },
      });
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

it('goes in again: into the account that it came from without a change, into a fresh one with all habits and logs', async () => {
  const [person, fresh] = [await accounts.person({ timezone: 'Europe/Madrid' }), await accounts.person()];
  for (const { id } of [person, fresh]) await accounts.grantPremium(id);
  const of = new HabitsOf(accounts, person);
  // Habits from a file, one of them under another name since; some made by hand, two of them alike; a log on a moved day.
  await imported(person, 'habit,date,value,note\nRun,2026-01-05,1,fog\nRun,2026-01-06,0.5,\nRead,2026-01-05,skip,\n');
  const run = (await of.list()).find(({ name }) => name === 'Run')!;
  await of.ask('PATCH', `/${run.id}`, { name: 'Jog' });
  for (const name of ['Run', 'Run', 'Swim']) {
    const { id } = await of.habit({ name });
    for (const day of ['05', '05', '06', name === 'Swim' ? '20' : '21'])
      await of.log(id, { occurredAt: `2026-01-${day}T0${name.length}:00:00Z`, note: `on ${day}` });
  }
  const [newest] = (await of.ask('GET', `/${run.id}/logs`)).body.logs as { id: string }[];
  await of.ask('PATCH', `/${run.id}/logs/${newest!.id}`, { occurredAt: '2026-01-10T09:00:00Z' });
  await of.log(run.id, { occurredAt: '2026-01-06T10:00:00Z' });

  const [before, document] = [await exported(person, 'json'), await exportedAccount(person)];
  expect(await imported(person, document)).toMatchObject({ habits: { created: 0, matched: 5 }, logs: { created: 0 } });
  expect((await exported(person, 'json')).equals(before)).toBe(true);
  expect(await imported(fresh, document)).toMatchObject({ rejects: [], habits: { created: 5 }, logs: { rejected: 0 } });
  expect((await exported(fresh, 'json')).equals(before)).toBe(true);
});

describe('a database that takes its time over logs', () => {
  /** A third of a second for every thousandth: for all of them together longer than a statement may take. */
  beforeAll(async () => {
    await accounts.sql(`
      CREATE FUNCTION slowly(day date) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN
        IF (day - '2000-01-01') % 1000 = 0 THEN PERFORM pg_sleep(0.35); END IF;
        RETURN true;
      END $$`);
    await accounts.sql('ALTER TABLE habit_logs RENAME TO given_slowly');
    await accounts.sql('CREATE VIEW habit_logs AS SELECT * FROM given_slowly WHERE slowly(local_date)');
  });
  afterAll(async () => {
    await accounts.sql('DROP VIEW habit_logs');
    await accounts.sql('ALTER TABLE given_slowly RENAME TO habit_logs');
  });

  it('gives all of them to both exports, and to an import that has them already', async () => {
    const person = await accounts.person();
    await withLogs(accounts, person, 9_000);
    const file = await exported(person, 'json');
    for (const { habits } of [JSON.parse(file.toString()) as Exported, await read(person)])
      expect(habits[0]!.logs).toHaveLength(9_000);
    expect((await imported(person, file)).logs).toEqual({ created: 0, duplicate: 9_000, rejected: 0 });
  });
});
