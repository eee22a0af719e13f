import { setTimeout as sleep } from 'node:timers/promises';
import { AMPLIFIERS } from '@evenkeel/habit-files/testing';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Client } from 'pg';
import { AccountsClient } from './accounts-client.fixture';
import { LocalRun } from './local-run.fixture';
import { aPaidRequest, send, type PaidRequest } from './paid-request.fixture';
import { PAY_TO } from './programs.fixture';

jest.setTimeout(600_000);

const SECOND_MS = 1_000;
/** Of people and of agents, each. */
const PER_SECOND = 20;
/** Three times what is right, and more: the machine may be busy. */
const SLOWEST_MS = 5_000;
const LONGEST_TURN_MS = 500;
const AT_ONCE = 20;
const DAYS = 1_826;

let local: LocalRun;
let url: string;
const files: Buffer[] = [];
beforeAll(async () => {
  // Before anything is asked: to make them may take longer than a connection stays open.
  for (const [, , make] of AMPLIFIERS.slice(0, AT_ONCE)) files.push(await make());
  const keys = { RATE_LIMIT_SCALE: '1000', X402_PAY_TO: PAY_TO, ARGON2_MEMORY_KIB: '8', ARGON2_PASSES: '1' };
  local = new LocalRun(keys);
  url = await local.url();
});
afterAll(() => local.close());

let people = 0;
async function somebody(): Promise<AccountsClient> {
  const client = new AccountsClient(url);
  const email = `person-${++people}@example.com`;
  expect((await client.register({ email, password: `a long password of ${email}` })).status).toBe(201);
  return client;
}

function importing(person: AccountsClient, file: Buffer) {
  const form = new FormData();
  form.append('file', new Blob([file as BlobPart]), 'habits');
  return person.send('POST', 'habits/import', form);
}

/** The report of the process; the longest turn of its event loop is that since the last report. */
async function figures(): Promise<{ turnMs: number; mebibytes: number }> {
  const page = await scrape(await local.internalUrl());
  const ofProcess = { service: 'standalone' };
  const turnMs = SECOND_MS * page.value('nodejs_eventloop_lag_max_seconds', ofProcess)!;
  return { turnMs, mebibytes: page.value('process_resident_memory_bytes', ofProcess)! / 2 ** 20 };
}

/** Pays for calls, asks for prices, and asks as people do, until the work is done; nobody waits long. */
async function besides<Result>(what: string, work: Promise<Result>, paid: PaidRequest[] = []): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const asked: Promise<{ status: number; ms: number }>[] = [];
  const timed = async (answered: Promise<{ status: number }>) => {
    const begunMs = performance.now();
    const { status } = await answered;
    return { status, ms: performance.now() - begunMs };
  };
  const person = await somebody();
  const unpaid = { ...(await aPaidRequest()), headers: { 'content-type': 'application/json' } };
  for (let round = 0; !isDone; round++) {
    asked.push(timed(person.send('GET', ['habits', 'auth/me', 'auth/sessions'][round % 3]!)));
    asked.push(timed(send(url, (round % 2 === 0 && paid.pop()) || unpaid)));
    await Promise.race([done.catch(() => undefined), sleep(SECOND_MS / PER_SECOND)]);
  }
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status, ms }) => ![200, 402].includes(status) || ms > SLOWEST_MS)).toEqual([]);
  const { turnMs } = await figures();
  expect([what, turnMs < LONGEST_TURN_MS ? 'short turns' : `${turnMs} ms`]).toEqual([what, 'short turns']);
  return done;
}

it('twenty amplifiers at once keep neither people nor agents waiting, and leave no memory behind', async () => {
  const senders: AccountsClient[] = [];
  for (let sender = 0; sender < AT_ONCE; sender++) senders.push(await somebody());
  const paid = await Promise.all(Array.from({ length: 200 }, () => aPaidRequest()));
  // Who has never paid may have eight calls at once, which a busy machine lets pile up.
  expect((await send(url, paid.pop()!)).status).toBe(200);
  // Once before: what the first of each loads stays.
  await besides('one amplifier', importing(await somebody(), files[0]!), paid.splice(0, 20));
  const before = await figures();
  const sent = Promise.all(senders.map((sender, at) => importing(sender, files[at]!)));
  const answers = await besides('twenty amplifiers', sent, paid);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 429]));
  await eventually(async () => expect((await figures()).mebibytes).toBeLessThan(1.2 * before.mebibytes), {
    withinMs: 60_000,
  });
});

/** Every day of five years, of so many habits. */
function fiveYears(habits: number): Buffer {
  const days = Array.from({ length: DAYS }, (_, at) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10));
  const rows = Array.from({ length: habits }, (_, habit) => days.map((day) => `Habit ${habit},${day},1\n`).join(''));
  return Buffer.from(`habit,date,value\n${rows.join('')}`);
}

it('as many habits and logs as a person may have are imported, listed, analysed and exported in short turns', async () => {
  const person = await somebody();
  const { id } = (await person.send('GET', 'auth/me')).body as { id: string };
  const client = new Client({ connectionString: local.databaseUrl('accounts') });
  await client.connect();
  await client.query(
    `INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at) VALUES ($1, 1, 'infinity', true, now())`,
    [id],
  );
  const imported = await besides('import', importing(person, fiveYears(50)));
  expect(imported.body).toMatchObject({ logs: { created: 50 * DAYS } });
  await client.query(
    `INSERT INTO habits (id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day, start_given,
       created_at, updated_at, change_number)
     SELECT gen_random_uuid(), $1, 'Other ' || n, 'DAILY', 7, 127, '2020-01-01', '2020-01-01', true, now(), now(), 1
     FROM generate_series(1, 450) n`,
    [id],
  );
  await client.query(
    `INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, created_at, change_number)
     SELECT $1, gen_random_uuid(), h.id, day + interval '12 hours', day, 'COMPLETED', 1, now(), 1
     FROM habits h CROSS JOIN generate_series('2024-12-12'::timestamp, '2024-12-30', interval '1 day') day
     WHERE h.user_id = $1 AND h.name LIKE 'Other %'`,
    [id],
  );
  const { rows } = await client.query<{ id: string }>('SELECT id FROM habits WHERE user_id = $1 LIMIT 25', [id]);
  await client.end();
  const reads: [method: string, path: string, body?: object][] = [
    ['GET', 'habits'],
    ['GET', 'habits/today'],
    ['POST', 'habits/analyze', { habitIds: rows.map((habit) => habit.id) }],
    ['GET', 'habits/export?format=json'],
    ['GET', 'habits/export?format=csv'],
    ['GET', 'habits/export?format=loop'],
  ];
  // Turns of the time in which the database was filled are not looked at.
  await figures();
  for (const [method, path, body] of reads) {
    expect((await besides(path, person.send(method, path, body))).status).toBe(200);
  }
});
