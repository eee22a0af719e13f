import { randomUUID } from 'node:crypto';
import { DomainError } from '@evenkeel/kernel';
import { Controller, Global, Module, Post, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { createHttpApp, RateLimited, requestHandler, serve, type RunningHttp } from '../http';
import { anyFreePorts, send, someHttpOptions, type Answer } from '../http/http.fixture';
import { createTestDatabase, eventually, type TestDatabase } from '../testing';
import { JsonBody } from '../validation';
import { createIdempotencyKeys, dropIdempotencyKeys, IdempotencyKeys } from './idempotency-keys';
import { Idempotent, OperationId } from './idempotent';
import { IdempotencyModule } from './idempotency.module';

class CreateOwners1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE owners (id uuid PRIMARY KEY)');
    await createIdempotencyKeys(runner, 'owners');
  }
  async down(runner: QueryRunner): Promise<void> {
    await dropIdempotencyKeys(runner);
    await runner.query('DROP TABLE owners');
  }
}

class SoldOut extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'sold_out';
  override readonly details = { left: 0 };
  constructor() {
    super('Nothing is left.');
  }
}

/** Signs in whom the header names. */
class NamedGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: object }>();
    request.user = { userId: String(request.headers.user), sessionId: 'one' };
    return true;
  }
}

class OrderBody {}

const orders: (string | undefined)[] = [];
let work: () => unknown = () => undefined;

@Controller()
@UseGuards(NamedGuard)
class OrdersController {
  @Post(['orders', 'others/:id'])
  @Idempotent()
  async order(@OperationId() operationId: string | undefined): Promise<object> {
    orders.push(operationId);
    const result = await work();
    return { number: orders.length, result };
  }

  @Post('files')
  @Idempotent({ query: 'rehearsal' })
  take(): { number: number } {
    return { number: orders.push(undefined) };
  }

  @Post('checked')
  @Idempotent()
  checked(@JsonBody() _: OrderBody): void {
    orders.push(undefined);
  }
}

let database: TestDatabase;
let running: RunningHttp;
let keys: IdempotencyKeys;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'keys', entities: [], migrations: [CreateOwners1736847000000] });
  @Global()
  @Module({ providers: [{ provide: DataSource, useValue: database.dataSource }], exports: [DataSource] })
  class DatabaseModule {}
  @Module({ imports: [DatabaseModule, IdempotencyModule], controllers: [OrdersController] })
  class OrdersModule {}
  const app = await createHttpApp(OrdersModule, someHttpOptions({ answerWithinMs: 2_000 }));
  keys = app.get(IdempotencyKeys);
  running = await serve(await requestHandler(app), anyFreePorts(), () => app.close());
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

let owner: string;
beforeEach(async () => {
  orders.length = 0;
  work = () => undefined;
  owner = randomUUID();
  await database.dataSource.query('INSERT INTO owners VALUES ($1)', [owner]);
});

interface Order {
  key?: string;
  body?: string;
  path?: string;
  user?: string;
  accept?: string;
  type?: string;
}
const order = ({
  key,
  body = '{}',
  path = 'orders',
  user = owner,
  accept = '*/*',
  type = 'application/json',
}: Order = {}): Promise<Answer> =>
  send(`${running.url}/${path}`, {
    method: 'POST',
    headers: {
      user,
      accept,
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body,
  });
const age = (interval: string) =>
  database.dataSource.query(
    `UPDATE idempotency_keys SET begun_at = begun_at - $1::interval, run_at = run_at - $1::interval WHERE owner = $2`,
    [interval, owner],
  );

it('does the work of each request without a key', async () => {
  expect([(await order()).status, (await order()).status]).toEqual([201, 201]);
  expect(orders).toEqual([undefined, undefined]);
});

it('gives the stored answer to a repetition, byte for byte', async () => {
  work = () => ({ text: 'größer "als" nichts', none: null });
  const first = await order({ key: 'a' });
  const again = await order({ key: 'a' });
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', 'content-type': first.headers['content-type'] });
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(orders).toHaveLength(1);
});

it('keeps keys of another user, path or text apart', async () => {
  const other = randomUUID();
  await database.dataSource.query('INSERT INTO owners VALUES ($1)', [other]);
  const paths = ['others/1', 'others/2', 'others/%00'].map((path) => ({ path }));
  for (const one of [{}, { user: other }, ...paths, { key: 'A' }]) {
    expect((await order({ key: 'a', ...one })).headers['idempotent-replayed']).toBeUndefined();
  }
  expect((await order({ key: 'a', path: 'orders?page=2' })).headers['idempotent-replayed']).toBe('true');
  expect(new Set(orders).size).toBe(6);
});

it('refuses a key that came with another body', async () => {
  await order({ key: 'a' });
  const reused = await order({ key: 'a', body: '{ }' });
  expect([reused.status, reused.json().error]).toEqual([409, 'idempotency_key_reused']);
  expect(orders).toHaveLength(1);
});

describe('of a form', () => {
  interface Form {
    boundary: string;
    content?: string;
    query?: string;
  }
  const file = async ({ boundary, content = 'Run', query = '' }: Form) => {
    const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
    const body = `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    const type = `multipart/form-data; boundary=${boundary}`;
    const { status, headers } = await order({ key: 'a', path: `files${query}`, body, type });
    return headers['idempotent-replayed'] === 'true' ? 'replayed' : status;
  };

  it('the same parts are the same body, whatever the boundary; other bytes are another', async () => {
    expect(await file({ boundary: 'one' })).toBe(201);
    expect(await file({ boundary: 'two' })).toBe('replayed');
    expect(await file({ boundary: 'one', content: 'Ran' })).toBe(409);
    expect(await file({ boundary: 'one', content: '--one'.repeat(150) })).toBe(409);
    expect(orders).toHaveLength(1);
  });

  it('a switch in the query is part of what is asked', async () => {
    expect(await file({ boundary: 'one', query: '?rehearsal=true' })).toBe(201);
    expect(await file({ boundary: 'two', query: '?rehearsal=true&other=1' })).toBe('replayed');
    expect(await file({ boundary: 'one' })).toBe(409);
  });
});

it.each([[''], ['x'.repeat(256)], ['caf\u00e9'], ['a\tb']])('refuses the key %#', async (key) => {
  const { status, json } = await order({ key });
  expect([status, json().error]).toEqual([400, 'validation_failed']);
  expect(orders).toHaveLength(0);
});

it('takes 255 characters, and does the work once for requests at once', async () => {
  let finish = (): void => undefined;
  work = () => new Promise<void>((resolve) => (finish = resolve));
  const key = 'k'.repeat(255);
  const first = order({ key });
  await eventually(() => orders.length === 1);
  const meanwhile = await Promise.all([order({ key }), order({ key })]);
  for (const { status, headers, json } of meanwhile) {
    expect([status, json().error, headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1']);
  }
  expect((await order({ key, body: '[]' })).json().error).toBe('idempotency_key_reused');
  finish();
  await first;
  expect((await order({ key })).headers['idempotent-replayed']).toBe('true');
  expect(orders).toHaveLength(1);
});

it('stores refusals too, in the shape that each caller asks for', async () => {
  work = () => Promise.reject(new SoldOut());
  const first = await order({ key: 'a' });
  work = () => undefined;
  const again = await order({ key: 'a' });
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([409, first.text, 'true']);
  const problem = await order({ key: 'a', accept: 'application/problem+json' });
  expect(problem.json()).toMatchObject({ error: 'sold_out', details: { left: 0 }, title: 'Sold out', status: 409 });
  const bad = await order({ key: 'b', path: 'checked', body: '[' });
  expect([bad.status, bad.json().error]).toEqual([400, 'malformed_json']);
  expect((await order({ key: 'b', path: 'checked', body: '[' })).headers['idempotent-replayed']).toBe('true');
  expect(orders).toHaveLength(1);
});

it('keeps an answer without a body', async () => {
  for (const replayed of [undefined, 'true']) {
    const { status, text, headers } = await order({ key: 'a', path: 'checked' });
    expect([status, text, headers['idempotent-replayed']]).toEqual([201, '', replayed]);
  }
});

it.each([
  [429, new RateLimited({ scope: 'user' })],
  [500, new Error('broken')],
])('does the work again after %d, as the same operation', async (status, error) => {
  work = () => Promise.reject(error);
  expect((await order({ key: 'a' })).status).toBe(status);
  expect((await order({ key: 'a' })).status).toBe(status);
  expect((await order({ key: 'a', body: '[]' })).json().error).toBe('idempotency_key_reused');
  work = () => undefined;
  expect((await order({ key: 'a' })).status).toBe(201);
  expect(orders).toEqual([expect.any(String), orders[0], orders[0]]);
});

it('does the work of a dead process again after a minute, as the same operation', async () => {
  const scope = { owner, method: 'POST', path: '/orders', key: 'a' };
  await order({ key: 'a' });
  await database.dataSource.query(`UPDATE idempotency_keys SET status = NULL, body = NULL WHERE owner = $1`, [owner]);
  await age('59 seconds');
  expect((await order({ key: 'a' })).json().error).toBe('idempotency_in_progress');
  await age('2 seconds');
  const again = await order({ key: 'a' });
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect(orders[1]).toBe(orders[0]);
  // The first process was only slow: its answer does not replace that of the other.
  await keys.keep(scope, randomUUID(), { status: 200, body: '"late"' });
  expect((await order({ key: 'a' })).text).toBe(again.text);
});

it('does work again that was answered 503 because it took too long, as the same operation', async () => {
  let end: (result: string) => void = () => undefined;
  work = () => new Promise((resolve) => (end = resolve));
  expect((await order({ key: 'a' })).status).toBe(503);
  expect((await order({ key: 'a' })).json().error).toBe('idempotency_in_progress');
  end('no answer');
  work = () => 'done';
  await eventually(async () => expect((await order({ key: 'a' })).status).toBe(201));
  expect((await order({ key: 'a' })).json()).toEqual({ number: 2, result: 'done' });
  expect(orders[1]).toBe(orders[0]);
});

it('forgets a key after a day', async () => {
  await order({ key: 'a' });
  await age('23:59:30');
  expect((await order({ key: 'a', body: '[]' })).status).toBe(409);
  await keys.eraseExpired();
  expect((await order({ key: 'a' })).headers['idempotent-replayed']).toBe('true');
  await age('00:01:00');
  expect((await order({ key: 'a', body: '[]' })).status).toBe(201);
  expect(orders[1]).not.toBe(orders[0]);
  await age('24:00:01');
  expect(await keys.eraseExpired()).toBe(false);
  expect(await database.dataSource.query('SELECT FROM idempotency_keys WHERE owner = $1', [owner])).toEqual([]);
});

it('goes with its owner', async () => {
  await order({ key: 'a' });
  await database.dataSource.query('DELETE FROM owners WHERE id = $1', [owner]);
  expect(await database.dataSource.query('SELECT FROM idempotency_keys WHERE owner = $1', [owner])).toEqual([]);
});
