import { randomUUID } from 'node:crypto';
import { DomainError } from '@evenkeel/kernel';
import { Controller, Global, Module, Post, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { RateLimited, type RunningHttp } from '../http';
import { send, startApp } from '../http/http.fixture';
import { createTestDatabase, eventually, type TestDatabase } from '../testing';
import { JsonBody } from '../validation';
import { createIdempotencyKeys, dropIdempotencyKeys, IdempotencyKeys, IdempotencyModule } from './idempotency-keys';
import { Idempotent, OperationId } from './idempotent';

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

/** The operations whose work was done. */
const orders: (string | undefined)[] = [];
let work: () => unknown;

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
  running = await startApp(OrdersModule, { answerWithinMs: 2_000 });
  keys = new IdempotencyKeys(database.dataSource);
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

const query = (text: string, ...values: unknown[]) => database.dataSource.query<object[]>(text, values);

async function anOwner(): Promise<string> {
  const id = randomUUID();
  await query('INSERT INTO owners VALUES ($1)', id);
  return id;
}

let owner: string;
beforeEach(async () => {
  orders.length = 0;
  work = () => undefined;
  owner = await anOwner();
});

interface Order {
  key?: string;
  body?: string;
  path?: string;
  headers?: Record<string, string>;
}

async function order({ key = 'a', body = '{}', path = 'orders', headers = {} }: Order = {}) {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const sent = { user: owner, 'idempotency-key': key, ...length, ...headers };
  const answer = await send(`${running.url}/${path}`, { method: 'POST', headers: sent, body });
  const isJson = answer.text.startsWith('{');
  const json = (isJson ? JSON.parse(answer.text) : {}) as Record<string, unknown>;
  return { ...answer, isReplayed: answer.headers['idempotent-replayed'] === 'true', error: json['error'], body: json };
}

const age = (interval: string) =>
  query(
    `UPDATE idempotency_keys SET begun_at = begun_at - $1::interval, run_at = run_at - $1::interval WHERE owner = $2`,
    interval,
    owner,
  );
const stored = () => query('SELECT FROM idempotency_keys WHERE owner = $1', owner);

it('the stored answer to a repetition is the first one, byte for byte, and has or has no body', async () => {
  work = () => ({ text: 'größer "als" nichts', none: null });
  for (const path of ['orders', 'checked']) {
    const [first, again] = [await order({ path }), await order({ path })];
    expect([again.status, again.text, again.isReplayed]).toEqual([201, first.text, true]);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(first.isReplayed).toBe(false);
  }
  expect(orders).toHaveLength(2);
});

it('keys of another user, path or text are others, of another page of a query they are not', async () => {
  const other = { headers: { user: await anOwner() } };
  const paths = ['others/1', 'others/2', 'others/%00'].map((path) => ({ path }));
  for (const one of [{}, other, ...paths, { key: 'A' }]) expect((await order(one)).isReplayed).toBe(false);
  expect((await order({ path: 'orders?page=2' })).isReplayed).toBe(true);
  expect(new Set(orders).size).toBe(6);
});

it('a form is read by its parts, whatever the boundary, with the switch in its query', async () => {
  const file = async (boundary: string, content = 'Run', switched = '') => {
    const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
    const body = `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const { status, isReplayed } = await order({ path: `files${switched}`, body, headers });
    return isReplayed ? 'replayed' : status;
  };
  expect(await file('one', 'Run', '?rehearsal=true')).toBe(201);
  expect(await file('two', 'Run', '?rehearsal=true&other=1')).toBe('replayed');
  expect(await file('one', 'Run')).toBe(409);
  expect(await file('one', 'Ran', '?rehearsal=true')).toBe(409);
  expect(await file('one', '--one'.repeat(150), '?rehearsal=true')).toBe(409);
  expect(orders).toHaveLength(1);
});

it.each([[''], ['x'.repeat(256)], ['caf\u00e9'], ['a\tb']])('refuses the key %#', async (key) => {
  expect(await order({ key })).toMatchObject({ status: 400, error: 'validation_failed' });
  expect(orders).toHaveLength(0);
});

it('does the work once for requests at once, and takes 255 characters', async () => {
  let finish = (): void => undefined;
  work = () => new Promise<void>((resolve) => (finish = resolve));
  const key = 'k'.repeat(255);
  const first = order({ key });
  await eventually(() => orders.length === 1);
  const inProgress = { status: 409, error: 'idempotency_in_progress', headers: { 'retry-after': '1' } };
  for (const answer of await Promise.all([order({ key }), order({ key })])) expect(answer).toMatchObject(inProgress);
  expect(await order({ key, body: '[]' })).toMatchObject({ status: 409, error: 'idempotency_key_reused' });
  finish();
  await first;
  expect((await order({ key })).isReplayed).toBe(true);
  expect(orders).toHaveLength(1);
});

it('stores refusals too, in the shape that each caller asks for', async () => {
  work = () => Promise.reject(new SoldOut());
  const first = await order();
  work = () => undefined;
  expect(await order()).toMatchObject({ status: 409, text: first.text, isReplayed: true });
  const { body } = await order({ headers: { accept: 'application/problem+json' } });
  expect(body).toMatchObject({ error: 'sold_out', details: { left: 0 }, title: 'Sold out', status: 409 });
  const bad = { path: 'checked', body: '[' };
  for (const isReplayed of [false, true]) {
    expect(await order(bad)).toMatchObject({ status: 400, error: 'malformed_json', isReplayed });
  }
  expect(orders).toHaveLength(1);
});

it.each([
  [429, new RateLimited({ scope: 'user' })],
  [500, new Error('broken')],
])('does the work again after %d, as the same operation', async (status, error) => {
  work = () => Promise.reject(error);
  for (let time = 0; time < 2; time++) expect((await order()).status).toBe(status);
  expect((await order({ body: '[]' })).error).toBe('idempotency_key_reused');
  work = () => undefined;
  expect((await order()).status).toBe(201);
  expect(orders).toEqual([expect.any(String), orders[0], orders[0]]);
});

it('does the work of a dead process again after a minute, as the same operation', async () => {
  await order();
  await query('UPDATE idempotency_keys SET status = NULL, body = NULL WHERE owner = $1', owner);
  await age('59 seconds');
  expect((await order()).error).toBe('idempotency_in_progress');
  await age('2 seconds');
  const again = await order();
  expect(again).toMatchObject({ status: 201, isReplayed: false });
  expect(orders[1]).toBe(orders[0]);
  // The first process was only slow: its answer does not replace that of the other.
  const scope = { owner, method: 'POST', path: '/orders', key: 'a' };
  await keys.keep(scope, randomUUID(), { status: 200, body: '"late"' });
  expect((await order()).text).toBe(again.text);
});

it('does work again that was answered 503 because it took too long, as the same operation', async () => {
  let end: (result: string) => void = () => undefined;
  work = () => new Promise((resolve) => (end = resolve));
  expect((await order()).status).toBe(503);
  expect((await order()).error).toBe('idempotency_in_progress');
  end('no answer');
  work = () => 'done';
  await eventually(async () => expect((await order()).status).toBe(201));
  expect((await order()).body).toEqual({ number: 2, result: 'done' });
  expect(orders[1]).toBe(orders[0]);
});

it('forgets a key after a day, or with its owner', async () => {
  await order();
  await age('23:59:30');
  expect((await order({ body: '[]' })).status).toBe(409);
  await keys.eraseExpired();
  expect((await order()).isReplayed).toBe(true);
  await age('00:01:00');
  expect((await order({ body: '[]' })).status).toBe(201);
  expect(orders[1]).not.toBe(orders[0]);
  await age('24:00:01');
  expect(await keys.eraseExpired()).toBe(false);
  expect(await stored()).toEqual([]);
  await order();
  await query('DELETE FROM owners WHERE id = $1', owner);
  expect(await stored()).toEqual([]);
});
