import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { eventually } from '@evenkeel/platform/testing';
import { nonceOf } from '../../projection/history.fixture';
import { noon, Reporting, TOKEN } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';

const reporting = Reporting.forSuite();
beforeEach(() => reporting.forget());

const query = <Row>(sql: string, values: unknown[] = []) => reporting.database.dataSource.query<Row[]>(sql, values);

/** Connections that an export holds, whether it has its first rows or not. */
const EXPORTS = `pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND (query LIKE 'FETCH %' OR query LIKE 'DECLARE %') AND state <> 'idle'`;
const exportsAre = (count: number) =>
  eventually(async () => expect(await query(`SELECT FROM ${EXPORTS}`)).toHaveLength(count));

/** Of one day; more than 20,000 do not fit into the buffers between a database and a reader who does not read. */
async function fill(count: number): Promise<void> {
  await reporting.publish(...publishedOf([aPayment()]));
  await query(
    `INSERT INTO payments SELECT p.* FROM payments o, generate_series(1, $1) AS n, LATERAL jsonb_populate_record(o,
       jsonb_build_object('id', gen_random_uuid(), 'verified_at', o.verified_at - n * interval '1 ms')) AS p`,
    [count],
  );
}

const asked: { destroy: () => void }[] = [];
afterEach(() => asked.splice(0).forEach((one) => one.destroy()));

async function open(method = 'GET', headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const path = `${reporting.running.url}/v1/admin/revenue/payments.csv`;
  const sent = request(path, { method, headers: { 'x-admin-token': TOKEN, ...headers } });
  asked.push(sent.on('error', () => undefined));
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response.on('error', () => undefined);
}

it('payments of the days and the status are a file with a title for each field, newest first', async () => {
  const days = ['2026-02-03T23:59:59.999Z', '2026-02-04T00:00:00.000Z', '2026-02-10T23:59:59.999Z'];
  const [tooOld, settled, failed] = days.map((at) => aPayment({ verifiedAt: new Date(at), tier: 'tier_1' }));
  Object.assign(settled!, { rebateMicros: 2_500 });
  Object.assign(failed!, { states: ['settlement_failed'], amountMicros: 9_007_199_254 });
  const [event] = publishedOf([failed!]);
  const refused = { ...event!, data: { ...event!.data, reason: 'refused, "twice"' } };
  await reporting.publish(...publishedOf([tooOld!, settled!]), refused);
  const { status, headers, ...file } = await reporting.read('payments.csv?days=7');
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="payments-2026-02-04-2026-02-10.csv"',
    'cache-control': 'no-store',
    'x-as-of': noon.toISOString(),
    'x-lag-seconds': expect.stringMatching(/^\d+(\.\d)?$/),
  });
  const payer = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
  const chain = 'eip155:8453,0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const lineOf = ({ id }: { id: string }, ...parts: string[]) => `${id},${parts.join(',')}`;
  expect(file.text.split('\r\n')).toEqual([
    'id,verified_at,endpoint,amount_usd,amount_atomic,payer,network,asset,transaction_hash,status,settled_at,' +
      'rebate_accrued_usd,request_id,nonce,attributed_cost,tier,served,reason,failed_at,credit_id',
    lineOf(
      failed!,
      `${days[2]},/agent/v1/habits/analyze,9007.199254,9007199254,${payer},${chain},,settlement_failed,,0.000000`,
      `request-${failed!.id},${nonceOf(failed!.id)},0.000400,,true,"refused, ""twice""",2026-02-12T00:59:59.999Z,`,
    ),
    lineOf(
      settled!,
      `${days[1]},/agent/v1/habits/analyze,0.050000,50000,${payer},${chain},0x${'7'.repeat(64)},settled`,
      `2026-02-05T01:00:00.000Z,0.002500,request-${settled!.id},${nonceOf(settled!.id)},0.000400,tier_1,true,,,`,
    ),
    '',
  ]);
  const failures = await reporting.file('payments.csv?days=365&status=settled');
  expect(failures.map(({ id }) => id)).toEqual([settled!.id, tooOld!.id]);
});

it('a file is packed for who takes gzip, the same for who does not, and has for HEAD the headers of GET', async () => {
  await fill(2_000);
  const [plain, packed, head] = [await open(), await open('GET', { 'accept-encoding': 'gzip' }), await open('HEAD')];
  expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
  for (const { headers } of [plain, packed]) expect(headers.vary).toMatch(/accept-encoding/i);
  const [all, bytes] = [await buffer(plain), await buffer(packed)];
  expect(gunzipSync(bytes).equals(all)).toBe(true);
  expect(bytes.length).toBeLessThan(all.length / 2);
  // And no length that would be wrong.
  const said = ({ headers }: IncomingMessage) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => !/^(date|ratelimit|x-request-id|x-lag-seconds|transfer)/.test(name)),
    );
  expect(said(head)).toEqual(said(plain));
  await exportsAre(0);
});

it('a file comes whole to who is slow, and stops when its reader does', async () => {
  await fill(sized(30_000, 400_000));
  const slow = await open();
  await exportsAre(1);
  expect((await text(slow)).split('\r\n')).toHaveLength(sized(30_000, 400_000) + 3);
  const stopped = await open();
  await exportsAre(1);
  stopped.destroy();
  await exportsAre(0);
});

it('a reader gets an error when the database ends its query, and other readers go on', async () => {
  await fill(30_000);
  const response = await open();
  await exportsAre(1);
  await query(`SELECT pg_terminate_backend(pid) FROM ${EXPORTS}`);
  await expect(text(response)).rejects.toThrow('aborted');
  await eventually(async () => expect((await reporting.read('payments.csv')).status).toBe(200));
});

it('a reader waits when two others are reading, until one of them has finished', async () => {
  await fill(30_000);
  const readers = [await open(), await open()];
  const { status, body, headers } = await reporting.read('payments.csv');
  expect([status, body.error, body.details, headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    { scope: 'concurrency' },
    '5',
  ]);
  for (const reader of readers) reader.destroy();
  await eventually(async () => expect((await reporting.read('payments.csv?days=1')).status).toBe(200));
});
