import { gzipSync } from 'node:zlib';
import { audit } from '@evenkeel/ops/audit';
import { withLogs } from '../account/account.fixture';
import { Accounts } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';
import { fileTransfer } from './transfer.fixture';

const accounts = Accounts.forSuite();
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

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
    ...{ format: 'csv', dry_run: true, habits: { created: 2, matched: 0, skipped: 0 } },
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

it('an export that is larger than an import may be goes in packed, and out again as the same bytes', async () => {
  const [one, other] = [await accounts.person(), await accounts.person()];
  await withLogs(accounts, one, 9_500, 1_024);
  const bytes = await exported(one, 'json');
  expect((await upload(other, bytes)).status).toBe(413);
  const report = await imported(other, gzipSync(bytes));
  expect(report).toMatchObject({ format: 'json', habits: { created: 1 }, logs: { created: 9_500, rejected: 0 } });
  expect((await exported(other, 'json')).equals(bytes)).toBe(true);
  expect((await imported(other, gzipSync(bytes))).logs).toEqual({ created: 0, duplicate: 9_500, rejected: 0 });
}, 60_000);
