import { gzipSync } from 'node:zlib';
import { audit } from '@evenkeel/ops/audit';
import { withLogs } from '../account/account.fixture';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from './transfer.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { upload, imported, exported, rowsOf } = fileTransfer(() => accounts);

const CSV = `habit,date,value,note
Morning run,2026-01-05,1,"fog, then sun"
Morning run,2026-01-06,0.5,
Read,2026-01-05,yes,
Read,2026-01-06,skip,
Read,2026-01-40,yes,
`;

it('brings in what a file has, names what it cannot use, and creates nothing twice', async () => {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  const first = await imported(person, CSV);
  expect(first).toMatchObject({
    format: 'csv',
    dry_run: false,
    habits: { created: 2, matched: 0, skipped: 0 },
    logs: { created: 4, duplicate: 0, rejected: 1 },
    rejects: [{ row: 'line 6', reason: expect.any(String) }],
  });
  expect(await imported(person, CSV)).toMatchObject({
    habits: { created: 0, matched: 2, skipped: 0 },
    logs: { created: 0, duplicate: 4, rejected: 1 },
  });
  expect(await rowsOf(person)).toEqual({ habits: 2, logs: 4 });
});

it('says in a dry run what the real run then does, and changes nothing', async () => {
  const person = await accounts.person();
  const dry = await imported(person, CSV, '?dry_run=true');
  expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  expect(await imported(person, CSV)).toEqual({ ...dry, dry_run: false });
});

it('lets habits over the cap of the plan arrive archived', async () => {
  const file = `habit,date,value\n${[1, 2, 3, 4, 5].map((n) => `Habit ${n},2026-01-05,1`).join('\n')}\n`;
  const archived = async (person: Person) => {
    const rows = await accounts.database.dataSource.query<unknown[]>(
      `SELECT FROM habits WHERE user_id = $1 AND archived_at IS NOT NULL`,
      [person.id],
    );
    return rows.length;
  };
  const [free, premium] = [await accounts.person(), await accounts.person()];
  await accounts.grantPremium(premium.id);
  for (const person of [free, premium]) await imported(person, file);
  expect([await archived(free), await archived(premium)]).toEqual([2, 0]);
});

it('keeps the order and the colour of a habit in a file of ours', async () => {
  const [one, other] = [await accounts.person(), await accounts.person()];
  for (const body of [{ name: 'Read', order: -3, color: '#2E7D32' }, { name: 'Walk' }]) {
    await accounts.ask('POST', '/v1/habits', { token: one.token, body });
  }
  await imported(other, await exported(one, 'json'));
  const { body } = await accounts.ask('GET', '/v1/habits', { token: other.token });
  expect(body.habits).toMatchObject([
    { name: 'Read', order: -3, color: '#2e7d32' },
    { name: 'Walk', order: null, color: null },
  ]);
  const ofAnotherApp = { habits: [{ name: 'Swim', order: 0.5, color: 'red' }] };
  const { habits, notes } = await imported(other, JSON.stringify(ofAnotherApp));
  expect([habits.created, notes]).toEqual([1, ['Not read: "order" of habits, "color" of habits.']]);
});

describe('with an Idempotency-Key', () => {
  it('a repetition gets the stored answer, and another file is refused', async () => {
    const person = await accounts.person();
    const first = await upload(person, CSV, { key: 'a' });
    expect([first.status, first.body]).toMatchObject([200, { logs: { created: 4, duplicate: 0 } }]);
    const again = await upload(person, CSV, { key: 'a' });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    for (const [file, query] of [
      [`${CSV}Read,2026-01-07,1,\n`, ''],
      [CSV, '?dry_run=true'],
    ] as const) {
      const { status, body } = await upload(person, file, { key: 'a', query });
      expect([status, body.error]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await rowsOf(person)).toEqual({ habits: 2, logs: 4 });
  });

  it('a dry run keeps a key of its own', async () => {
    const person = await accounts.person();
    const dry = await upload(person, CSV, { key: 'a', query: '?dry_run=true' });
    const again = await upload(person, CSV, { key: 'a', query: '?dry_run=true' });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([dry.text, 'true']);
    expect((await upload(person, CSV, { key: 'a' })).status).toBe(409);
  });
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
    expect([status, body]).toEqual([
      expected,
      {
        error: expect.any(String),
        message: expect.any(String),
        ...('details' in body && { details: expect.anything() }),
      },
    ]);
    expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  });

  it('a form that is none, has no file, or has two', async () => {
    const person = await accounts.person();
    const post = (type: string, body: string) =>
      accounts.send('/v1/habits/import', {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': type },
        body,
      });
    expect(await post('text/csv', CSV)).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    expect((await post('multipart/form-data', 'no form')).status).toBe(415);
    const announced = await post('multipart/form-data; boundary=x', 'no form');
    expect(announced).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
    expect(await upload(person, CSV, { field: 'upload' })).toMatchObject({ status: 400 });
    const two = new FormData();
    for (const name of ['a.csv', 'b.csv']) two.append('file', new Blob([CSV]), name);
    const headers = { authorization: `Bearer ${person.token}` };
    const { status, body } = await accounts.send('/v1/habits/import', { method: 'POST', headers, body: two });
    expect([status, body.details]).toMatchObject([400, { issues: [{ path: '/file', code: 'too_many_items' }] }]);
  });

  it('a format that there is not, a switch that is none, and whoever is not signed in', async () => {
    const person = await accounts.person();
    expect(await accounts.ask('GET', '/v1/habits/export?format=pdf', { token: person.token })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: '/format', code: 'not_in_enum' }] } },
    });
    expect((await upload(person, CSV, { query: '?dry_run=perhaps' })).status).toBe(400);
    expect((await accounts.ask('GET', '/v1/habits/export')).status).toBe(401);
    expect((await accounts.send('/v1/habits/import', { method: 'POST' })).status).toBe(401);
  });
});

it('an export that is larger than an import may be goes in packed, and out again as the same bytes', async () => {
  const [one, other] = [await accounts.person(), await accounts.person()];
  await withLogs(accounts, one, 9_500, 1_024);
  const bytes = await exported(one, 'json');
  expect(bytes.length).toBeGreaterThan(10_485_760);
  expect((await upload(other, bytes)).status).toBe(413);
  const report = await imported(other, gzipSync(bytes));
  expect(report).toMatchObject({ format: 'json', habits: { created: 1 }, logs: { created: 9_500, rejected: 0 } });
  expect((await exported(other, 'json')).equals(bytes)).toBe(true);
  expect((await imported(other, gzipSync(bytes))).logs).toEqual({ created: 0, duplicate: 9_500, rejected: 0 });
}, 60_000);
