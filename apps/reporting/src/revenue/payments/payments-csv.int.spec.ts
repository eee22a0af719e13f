import { once } from 'node:events';
import { get, request, type IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { eventually } from '@evenkeel/platform/testing';
import { nonceOf } from '../../projection/history.fixture';
import { noon, Reporting, TOKEN } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import { manyPayments } from './many-payments.fixture';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const PATH = '/v1/admin/revenue/payments.csv';
const linesOf = (text: string) => text.split('\r\n').slice(0, -1);
const query = <Row>(sql: string, values: unknown[] = []) => reporting.database.dataSource.query<Row[]>(sql, values);

/** Connections that an export holds, whether it has its first rows or not. */
const EXPORTS = `pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND (query LIKE 'FETCH %' OR query LIKE 'DECLARE %') AND state <> 'idle'`;
const exportsInDatabase = async () => (await query(`SELECT FROM ${EXPORTS}`)).length;

const fill = (count: number) => manyPayments(reporting.database.dataSource, count);

describe('payments as CSV', () => {
  it('are a file with a title for each field', async () => {
    const payment = aPayment({ tier: 'tier_1', rebateMicros: 2_500 });
    await reporting.publish(...publishedOf([payment]));
    const { status, headers, ...file } = await reporting.read('payments.csv?days=7');
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="payments-2026-02-04-2026-02-10.csv"',
      'cache-control': 'no-store',
      'x-as-of': noon.toISOString(),
      'x-lag-seconds': expect.stringMatching(/^\d+(\.\d)?$/),
    });
    expect(linesOf(file.text)).toEqual([
      'id,verified_at,endpoint,amount_usd,amount_atomic,payer,network,asset,transaction_hash,status,settled_at,' +
        'rebate_accrued_usd,request_id,nonce,attributed_cost,tier,served,reason,failed_at,credit_id',
      `${payment.id},2026-02-10T11:58:00.120Z,/agent/v1/habits/analyze,0.050000,50000,` +
        '0x857b06519E91e3A54538791bDbb0E22373e36b66,eip155:8453,0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913,' +
        `0x${'7'.repeat(64)},settled,2026-02-11T12:58:00.120Z,0.002500,request-${payment.id},${nonceOf(payment.id)},0.000400,tier_1,true,,,`,
    ]);
  });

  it('are those of the requested days and status, newest first', async () => {
    const days = ['2026-02-03T23:59:59.999Z', '2026-02-04T00:00:00.000Z', '2026-02-10T23:59:59.999Z'];
    const [tooOld, oldest, newest] = days.map((text) => aPayment({ verifiedAt: new Date(text) }));
    const open = aPayment({ states: ['settlement_pending'] });
    await reporting.publish(...publishedOf([tooOld!, oldest!, newest!, open]));
    const ids = async (search: string) =>
      linesOf((await reporting.read(`payments.csv${search}`)).text)
        .slice(1)
        .map((line) => line.slice(0, 36));
    expect(await ids('?days=7')).toEqual([newest!.id, open.id, oldest!.id]);
    expect(await ids('?days=7&status=settlement_pending')).toEqual([open.id]);
    expect(await ids('?days=365')).toHaveLength(4);
  });
});

describe('a file', () => {
  const raw = async (method: string, headers: Record<string, string> = {}) => {
    const sent = request(reporting.running.url + PATH, { method, headers: { 'x-admin-token': TOKEN, ...headers } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { headers: response.headers, bytes: await buffer(response) };
  };

  it('is packed for who takes gzip, and the same for who does not', async () => {
    await fill(2_000);
    const plain = await raw('GET');
    const packed = await raw('GET', { 'accept-encoding': 'gzip' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    for (const { headers } of [plain, packed]) expect(headers.vary).toMatch(/accept-encoding/i);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it('has for HEAD the headers of GET, and no length that would be wrong', async () => {
    await fill(10);
    const { date: _one, ...head } = (await raw('HEAD')).headers;
    const { date: _other, 'transfer-encoding': _coding, ...get } = (await raw('GET')).headers;
    for (const headers of [head, get]) {
      delete headers.ratelimit;
      delete headers['x-request-id'];
    }
    expect(head['content-length']).toBeUndefined();
    expect(head).toEqual(get);
    expect(await exportsInDatabase()).toBe(0);
  });

  it(
    'comes whole over a slow line, and stops when its reader does',
    async () => {
      const file = Buffer.from(await fill(sized(20_000, 400_000)));
      const line = new SlowLine(sized(8_000_000, 1_000_000));
      const { request: sent, response } = await open();
      const bytes = await buffer(response.pipe(line));
      expect(bytes.length).toBe(file.length);
      expect(bytes.equals(file)).toBe(true);
      sent.destroy();

      const { request: stopped, response: part } = await open();
      part.pipe(new SlowLine(1_000_000)).resume();
      await eventually(async () => expect(await exportsInDatabase()).toBe(1));
      stopped.destroy();
      await eventually(async () => expect(await exportsInDatabase()).toBe(0));
    },
    sized(60_000, 900_000),
  );
});

/** Lets through so many bytes a second. */
class SlowLine extends Transform {
  private dueMs = performance.now();

  constructor(private readonly bytesPerSecond: number) {
    super({ highWaterMark: 16_384 });
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.dueMs = Math.max(this.dueMs, performance.now()) + (chunk.length / this.bytesPerSecond) * 1_000;
    setTimeout(() => done(null, chunk), this.dueMs - performance.now());
  }
}

const open = async () => {
  const sent = get(reporting.running.url + PATH, { headers: { 'x-admin-token': TOKEN } });
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { request: sent, response };
};

describe('a reader', () => {
  it('ends the query by going away', async () => {
    await fill(30_000);
    const { request, response } = await open();
    response.pause();
    await eventually(async () => expect(await exportsInDatabase()).toBe(1));
    request.destroy();
    await eventually(async () => expect(await exportsInDatabase()).toBe(0));
  });

  it('gets an error when the database ends its query, and other readers go on', async () => {
    await fill(30_000);
    const { response } = await open();
    response.pause();
    await eventually(async () => expect(await exportsInDatabase()).toBe(1));
    await query(`SELECT pg_terminate_backend(pid) FROM ${EXPORTS}`);
    await expect(text(response)).rejects.toThrow('aborted');
    await eventually(async () => expect((await reporting.read('payments.csv')).status).toBe(200));
  });

  it('waits when two others are reading, until one of them has finished', async () => {
    await fill(30_000);
    const readers = [await open(), await open()];
    for (const { response } of readers) response.pause();
    const { status, headers, body } = await reporting.read('payments.csv');
    expect([status, body.error, body.details, headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      { scope: 'concurrency' },
      '5',
    ]);
    for (const { request } of readers) request.destroy();
    await eventually(async () => expect((await reporting.read('payments.csv?days=1')).status).toBe(200));
  });
});
