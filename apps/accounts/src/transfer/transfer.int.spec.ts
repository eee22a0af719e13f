import { gzipSync } from 'node:zlib';
import { Accounts, type Person } from '../accounts.fixture';
import { HabitsOf, issuesOf } from '../habits/habits.fixture';
import { fileTransfer } from './transfer.fixture';

const accounts = Accounts.forSuite({}, { audited: true });

const { upload, imported, exported, rowsOf } = fileTransfer(() => accounts);

const CSV = `habit,date,value,note
Morning run,2026-01-05,1,"fog, then sun"
Morning run,2026-01-06,0.5,
Read,2026-01-05,yes,
Read,2026-01-06,skip,
Read,2026-01-40,yes,
`;

it('brings in what a file has as a dry run says, names what it cannot use, and creates nothing twice', async () => {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  const dry = await imported(person, CSV, '?dry_run=true');
  expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  expect(dry).toMatchObject({
    format: 'csv',
    dry_run: true,
    habits: { created: 2, matched: 0, skipped: 0 },
    logs: { created: 4, duplicate: 0, rejected: 1 },
    rejects: [{ row: 'line 6', reason: expect.any(String) }],
  });
  expect(await imported(person, CSV)).toEqual({ ...dry, dry_run: false });
  expect(await imported(person, CSV)).toMatchObject({
    habits: { created: 0, matched: 2, skipped: 0 },
    logs: { created: 0, duplicate: 4, rejected: 1 },
  });
  expect(await rowsOf(person)).toEqual({ habits: 2, logs: 4 });
});

it('with an Idempotency-Key a repetition gets the stored answer, and another file or a real run is refused', async () => {
  const person = await accounts.person();
  for (const [key, query, other] of [
    ['real', '', '?dry_run=true'],
    ['dry', '?dry_run=true', ''],
  ] as const) {
    const first = await upload(person, CSV, { key, query });
    const again = await upload(person, CSV, { key, query });
    expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    for (const [file, asked] of [
      [`${CSV}Read,2026-01-07,1,\n`, query],
      [CSV, other],
    ] as const)
      expect(await upload(person, file, { key, query: asked })).toMatchObject({
        status: 409,
        body: { error: 'idempotency_key_reused' },
      });
  }
  expect(await rowsOf(person)).toEqual({ habits: 2, logs: 4 });
});

describe('refuses', () => {
  it.each<[string, string | Uint8Array, number]>([
    ['text of no kind', 'hello there', 400],
    ['a broken database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_096, 7)]), 400],
    ['a gzip of twenty million numbers', gzipSync(`{"habits":[{"name":"xx","logs":[${'1,'.repeat(2e7)}1]}]}`), 400],
    ['a file over 10 MiB', Buffer.alloc(10_485_761, 'a'), 413],
    ['a form over the cap', Buffer.alloc(11_000_000, 'a'), 413],
  ])('%s', async (_, file, expected) => {
    const person = await accounts.person();
    const { status, body } = await upload(person, file);
    expect([status, body]).toMatchObject([expected, { error: expect.any(String), message: expect.any(String) }]);
    expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  });

  it('a form that is none, has no file, or has two; a format or a switch that there is not', async () => {
    const person = await accounts.person();
    const { token } = person;
    const post = (type: string, body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      return accounts.send('/v1/habits/import', { method: 'POST', headers, body });
    };
    expect(await post('text/csv', CSV)).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    expect(await post('multipart/form-data', 'no form')).toMatchObject({ status: 415 });
    expect(await post('multipart/form-data; boundary=x', 'no form')).toMatchObject({ status: 400 });
    const two = new FormData();
    for (const name of ['a.csv', 'b.csv']) two.append('file', new Blob([CSV]), name);
    const headers = { authorization: `Bearer ${token}` };
    for (const [answer, issue] of [
      [await upload(person, CSV, { field: 'upload' }), '/file required'],
      [await accounts.send('/v1/habits/import', { method: 'POST', headers, body: two }), '/file too_many_items'],
      [await upload(person, CSV, { query: '?dry_run=perhaps' }), '/dry_run not_in_enum'],
      [await accounts.ask('GET', '/v1/habits/export?format=pdf', { token }), '/format not_in_enum'],
    ] as const)
      expect(issuesOf(answer)).toEqual([issue]);
  });
});

/** The number of logs of each habit. */
const countsOf = async ({ id }: Person) =>
  (
    await accounts.sql<{ logs: number }>(
      `SELECT count(*)::integer AS logs FROM habit_logs WHERE user_id = $1 GROUP BY habit_id ORDER BY habit_id`,
      id,
    )
  ).map(({ logs }) => logs);

/** Two habits of one name, made by hand: the one that begins later was done first. */
async function withTwins(): Promise<Person> {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  const of = new HabitsOf(accounts, person);
  const { id: first } = await of.habit({ startDate: '2026-01-01T08:00:00Z' });
  const { id: second } = await of.habit({ startDate: '2026-01-03T08:00:00Z', order: -3, color: '#2E7D32' });
  await of.habit({ name: 'Not yet' });
  await of.log(second, { occurredAt: '2026-01-05T07:00:00Z', note: 'uphill' });
  for (const hour of ['07', '19']) await of.log(first, { occurredAt: `2026-01-06T${hour}:00:00Z`, moodScore: 7 });
  await of.log(second, { occurredAt: '2026-01-06T07:00:00Z', status: 'PARTIAL', completionRate: 0.25 });
  await of.log(second, { occurredAt: '2026-01-07T07:00:00Z', status: 'SKIPPED' });
  await of.log(first, { occurredAt: '2026-01-08T22:30:00Z' });
  return person;
}

it.each(['json', 'csv', 'loop'])('%s changes nothing where it came from, and fills a fresh account', async (format) => {
  const [person, fresh] = [await withTwins(), await accounts.person()];
  const bytes = await exported(person, format);
  const json = await exported(person, 'json');
  const before = await countsOf(person);
  expect(bytes.includes(person.id)).toBe(false);
  for (const _ of ['once', 'twice']) {
    const report = await imported(person, bytes);
    expect(report).toMatchObject({ habits: { created: 0 }, logs: { created: 0, rejected: 0 }, rejects: [] });
  }
  expect(await countsOf(person)).toEqual(before);
  expect((await exported(person, 'json')).equals(json)).toBe(true);
  await imported(fresh, bytes);
  expect((await exported(fresh, format)).equals(bytes)).toBe(true);
  if (format === 'json') expect(json.toString()).toMatch(/"order":\s*-3,\s*"color":\s*"#2e7d32"/);
});

it.each([
  ['2000-01-01T00:00:00Z', 'America/New_York'],
  ['2099-12-31T23:59:59Z', 'Pacific/Kiritimati'],
])('a habit that begins at %s in %s goes into a fresh account with its logs', async (startDate, timezone) => {
  const [person, fresh] = [await accounts.person({ timezone }), await accounts.person({ timezone })];
  const of = new HabitsOf(accounts, person);
  await of.log((await of.habit({ startDate })).id);
  const bytes = await exported(person, 'json');
  expect(await imported(fresh, bytes)).toMatchObject({ habits: { created: 1 }, logs: { created: 1 }, rejects: [] });
  expect((await exported(fresh, 'json')).equals(bytes)).toBe(true);
});

it('brings what is new in a later file, and leaves the rest', async () => {
  const person = await withTwins();
  const csv = (await exported(person, 'csv')).toString();
  const report = await imported(person, `${csv}Run,2026-01-09,yes,\r\nRun (2),2026-01-10,yes,\r\n`);
  expect(report).toMatchObject({ habits: { created: 0, matched: 2 }, logs: { created: 2, rejected: 0 } });
  expect(await countsOf(person)).toEqual([4, 4]);
});

it('a habit of a file goes back to the earlier days of a later one, and of logs: nobody said when it begins', async () => {
  const person = await accounts.person();
  const of = new HabitsOf(accounts, person);
  const file = (days: readonly number[]) =>
    `habit,date,value\n${days.map((day) => `Run,2026-01-0${day},1\n`).join('')}`;
  const best = async () => (await of.list()).map(({ stats }) => stats.bestStreak);
  await imported(person, file([5, 6]));
  expect(await best()).toEqual([2]);
  expect(await imported(person, file([3, 4, 5, 6]))).toMatchObject({ logs: { created: 2 } });
  expect(await best()).toEqual([4]);
  await of.log((await of.list())[0]!.id, { occurredAt: '2026-01-02T07:00:00Z' });
  expect(await best()).toEqual([5]);
});

it('finds logs whose time was corrected, and imported ones on another day; what was deleted comes back', async () => {
  const person = await accounts.person();
  const of = new HabitsOf(accounts, person);
  const { id } = await of.habit({ name: 'By hand' });
  for (const hour of ['07', '19']) await of.log(id, { occurredAt: `2026-01-05T${hour}:00:00Z` });
  await imported(person, 'habit,date,value\nFrom a file,2026-01-05,1\n');
  const file = await exported(person, 'json');
  const createdAgain = async () => (await imported(person, file)).logs.created;
  const newestOf = async (habitId: string) =>
    `/${habitId}/logs/${((await of.ask('GET', `/${habitId}/logs`)).body.logs as { id: string }[])[0]!.id}`;
  const fromFile = (await of.list()).find(({ name }) => name === 'From a file')!.id;
  await of.ask('PATCH', await newestOf(id), { occurredAt: '2026-01-05T20:30:00Z' });
  await of.ask('PATCH', await newestOf(fromFile), { occurredAt: '2026-01-07T12:00:00Z' });
  expect(await createdAgain()).toBe(0);
  await of.ask('DELETE', await newestOf(id));
  expect(await createdAgain()).toBe(1);
});

it('a habit whose id says more than its name is not that of another file', async () => {
  const person = await accounts.person();
  const file = (sourceId: string) => JSON.stringify({ habits: [{ sourceId, name: 'Run' }] });
  for (const [id, created] of [
    ['a', 1],
    ['a', 0],
    ['b', 1],
  ] as const)
    expect((await imported(person, file(id))).habits.created).toBe(created);
});

describe('a few at a time', () => {
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
    expect(rows.filter(({ logs }) => logs > 0)).toHaveLength(12 - refused.length);
    // Also after files that cannot be read.
    for (const [file, status] of [
      ['nothing of ours', 400],
      [CSV, 200],
    ] as const) {
      const later = await Promise.all(people.slice(0, 2).map((person) => upload(person, file)));
      expect(later.map((answer) => answer.status)).toEqual([status, status]);
    }
  });
});
