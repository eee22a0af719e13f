import { deflateSync, gzipSync } from 'node:zlib';
import { Controller, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IntegerBetween, ListOf, MaxCharacters, Optional, TrimmedText } from '@evenkeel/contracts';
import { IsIn, IsObject, IsString } from 'class-validator';
import { createHttpApp } from '../http';
import { someHttpOptions } from '../http/http.fixture';
import { JsonBody, RawJson, StrictValidationPipe } from './strict-validation.pipe';

class Item {
  @TrimmedText(1, 20) name!: string;
  @Optional() @IntegerBetween(0, 2_147_483_647) times?: number;
}

class Order {
  @ListOf(() => Item, { minimum: 1, maximum: 3 }) items!: Item[];
  @Optional() @IsString() @MaxCharacters(40) note?: string;
  @Optional() @IsIn(['red', 'blue']) colour?: string;
  @Optional() @IsObject() metadata?: object;
}

@Controller('orders')
class OrdersController {
  @Post()
  place(@JsonBody() order: Order) {
    return { areClasses: order instanceof Order && order.items[0] instanceof Item, order };
  }

  @Post('small')
  placeSmall(@RawJson({ maxBytes: 100 }) order: unknown) {
    return order;
  }

  @Post('repeat')
  repeat(@JsonBody(new StrictValidationPipe({ emptyIs: { items: [{ name: 'coffee' }] } })) order: Order) {
    return { name: order.items[0]!.name };
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createHttpApp(OrdersModule, someHttpOptions({ maxBodyBytes: 1_000_000 }));
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

interface Answer {
  error?: string;
  message?: string;
  details?: { issues?: { path: string; code: string }[]; max_bytes?: number };
}

const TEXT = JSON.stringify({ items: [{ name: 'tea' }] });
const PACKED = gzipSync(TEXT);

async function post(payload: string | Buffer, headers: Record<string, string> = {}, url = '/orders') {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await app.inject({ method: 'POST', url, payload, headers: sent });
  return { status: response.statusCode, body: response.json<Answer>() };
}

it('a good body arrives as an instance of its class, trimmed', async () => {
  const order = { items: [{ name: ' tea ', times: 3.0 }], colour: 'red', metadata: { a: 1 } };
  expect(await post(JSON.stringify(order))).toEqual({
    status: 201,
    body: { areClasses: true, order: { ...order, items: [{ name: 'tea', times: 3 }] } },
  });
});

it('a body may be left out where the route says what that means', async () => {
  const empty = await app.inject({ method: 'POST', url: '/orders/repeat' });
  expect([empty.statusCode, empty.json()]).toEqual([201, { name: 'coffee' }]);
  expect((await app.inject({ method: 'POST', url: '/orders' })).statusCode).toBe(400);
});

describe('of what ValidationPipe lets pass is refused', () => {
  it.each([
    ['a list inside a list of objects', '{"items":[[{}]]}', '/items/0 wrong_type'],
    ['an empty list inside it', '{"items":[[]]}', '/items/0 wrong_type'],
    ['__proto__', '{"items":[{"name":"tea"}],"__proto__":{"note":"x"}}', '/__proto__ unknown_property'],
    ['toString', '{"items":[{"name":"tea"}],"toString":1}', '/toString unknown_property'],
    ['an integer of 1e29', '{"items":[{"name":"tea","times":1e29}]}', '/items/0/times out_of_range'],
    ['NUL', '{"items":[{"name":"t\\u0000ea"}]}', '/items/0/name bad_format'],
    ['null for an optional field', '{"items":[{"name":"tea"}],"note":null}', '/note wrong_type'],
    ['a text for a number', '{"items":[{"name":"tea","times":"3"}]}', '/items/0/times wrong_type'],
    ['a list for the body', '[{"items":[{"name":"tea"}]}]', ' wrong_type'],
    ['null for the body', 'null', ' wrong_type'],
  ])('%s', async (_, json, issue) => {
    const { status, body } = await post(json);
    const issues = body.details!.issues!.map(({ path, code }) => `${path} ${code}`);
    expect([status, body.error, ...issues]).toEqual([400, 'validation_failed', issue]);
  });

  it.each<[string, string | Buffer]>([
    ['no JSON', '{"items":'],
    ['no body', ''],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('%s: 400, not 500', async (_, payload) =>
    expect(await post(payload)).toMatchObject({ status: 400, body: { error: 'malformed_json' } }),
  );
});

describe('a body is JSON in UTF-8, plain or gzip', () => {
  it.each<[string, number]>([
    ['Application/JSON', 201],
    ['application/json;charset="UTF-8"', 201],
    ['application/json; charset=utf-8; version=1', 201],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/problem+json', 415],
    ['application/json; charset=latin1', 415],
    ['application/json, text/plain', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('of the type %s: %i', async (type, status) =>
    expect((await post(TEXT, { 'content-type': type })).status).toBe(status),
  );

  it.each<[string, string | Buffer, number, string | undefined]>([
    ['Identity', TEXT, 201, undefined],
    [' GZIP ', PACKED, 201, undefined],
    ['br', TEXT, 415, 'unsupported_media_type'],
    ['deflate', deflateSync(TEXT), 415, 'unsupported_media_type'],
    ['gzip, gzip', gzipSync(PACKED), 415, 'unsupported_media_type'],
    ['gzip', PACKED.subarray(0, 15), 400, 'malformed_json'],
  ])('encoded as %s', async (encoding, bytes, status, error) => {
    const answer = await post(bytes, { 'content-encoding': encoding });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('and not too long after inflation', async () => {
    const bomb = gzipSync(`"${'a'.repeat(200)}"`);
    const { status, body } = await post(bomb, { 'content-encoding': 'gzip' }, '/orders/small');
    expect([status, body.error, body.details?.max_bytes]).toEqual([413, 'payload_too_large', 100]);
    expect((await post(TEXT, {}, '/orders/small')).status).toBe(201);
  });
});
