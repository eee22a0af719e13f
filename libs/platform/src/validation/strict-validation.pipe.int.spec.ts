import { deflateSync, gzipSync } from 'node:zlib';
import { Controller, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IntegerBetween, ListOf, MaxCharacters, Optional, TrimmedText } from '@evenkeel/contracts';
import { IsIn, IsObject, IsString } from 'class-validator';
import { createHttpApp } from '../http';
import { someHttpOptions } from '../http/http.fixture';
import { JsonBody, StrictValidationPipe } from './strict-validation.pipe';

class Item {
  @TrimmedText(1, 20) name!: string;
  @Optional() @IntegerBetween(0, 2_147_483_647) times?: number;
}

class Order {
  @ListOf(() => Item, { minimum: 1, maximum: 3 }) items!: Item[];
  @Optional() @IsString() @MaxCharacters(40) note?: string;
  @Optional() @IsIn(['red', 'blue']) colour?: string;
  @Optional() @IsObject() metadata?: object;

  itemNames(): string[] {
    return this.items.map((item) => item.name);
  }
}

@Controller('orders')
class OrdersController {
  @Post()
  place(@JsonBody() order: Order) {
    return { isOrder: order instanceof Order, isItem: order.items[0] instanceof Item, names: order.itemNames(), order };
  }

  @Post('small')
  placeSmall(@JsonBody(new StrictValidationPipe({ maxBytes: 100 })) order: Order) {
    return { names: order.itemNames() };
  }

  @Post('repeat')
  repeat(@JsonBody(new StrictValidationPipe({ emptyIs: { items: [{ name: 'coffee' }] } })) order: Order) {
    return { names: order.itemNames() };
  }

  @Post('untyped')
  placeUntyped(@JsonBody() order: unknown) {
    return order;
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

const item = { name: 'tea' };
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

async function post(payload: string | Buffer, headers: Record<string, string> = {}, path = '/orders') {
  const response = await app.inject({
    method: 'POST',
    url: path,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.statusCode, body: response.json<Answer>() };
}
const postJson = (body: unknown) => post(JSON.stringify(body));
const refusal = async (body: string) => {
  const { status, body: answer } = await post(body);
  const issues = answer.details?.issues ?? [];
  return [status, answer.error, ...issues.map(({ path, code }) => `${path} ${code}`)];
};

describe('a good body', () => {
  it('arrives as an instance of its class, trimmed', async () => {
    const { status, body } = await postJson({
      items: [{ name: ' tea ', times: 3.0 }],
      colour: 'red',
      metadata: { a: 1 },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      isOrder: true,
      isItem: true,
      names: ['tea'],
      order: { items: [{ name: 'tea', times: 3 }], colour: 'red', metadata: { a: 1 } },
    });
  });

  it('may come gzipped, with a charset', async () => {
    const { status } = await post(gzipSync(JSON.stringify({ items: [item] })), {
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(status).toBe(201);
  });
});

it('may be left out where the route says what that means', async () => {
  const empty = await app.inject({ method: 'POST', url: '/orders/repeat' });
  expect([empty.statusCode, empty.json()]).toEqual([201, { names: ['coffee'] }]);
  expect((await app.inject({ method: 'POST', url: '/orders' })).statusCode).toBe(400);
});

describe('what ValidationPipe lets pass', () => {
  it.each([
    ['a list inside a list of objects', '{"items":[[{}]]}', '/items/0 wrong_type'],
    ['an empty list inside it', '{"items":[[]]}', '/items/0 wrong_type'],
    ['a good object inside a list inside it', '{"items":[[{"name":"tea"}]]}', '/items/0 wrong_type'],
    ['__proto__', '{"items":[{"name":"tea"}],"__proto__":{"note":"x"}}', '/__proto__ unknown_property'],
    ['constructor', '{"items":[{"name":"tea","constructor":{}}]}', '/items/0/constructor unknown_property'],
    ['hasOwnProperty', '{"items":[{"name":"tea"}],"hasOwnProperty":1}', '/hasOwnProperty unknown_property'],
    ['an escaped __proto__', '{"items":[{"name":"tea"}],"\\u005f_proto__":1}', '/__proto__ unknown_property'],
    ['isPrototypeOf', '{"items":[{"name":"tea"}],"isPrototypeOf":1}', '/isPrototypeOf unknown_property'],
    ['toString', '{"items":[{"name":"tea"}],"toString":1}', '/toString unknown_property'],
    ['an unknown property inside an item', '{"items":[{"name":"tea","colour":1}]}', '/items/0/colour unknown_property'],
    ['an integer of 1e29', '{"items":[{"name":"tea","times":1e29}]}', '/items/0/times out_of_range'],
    ['NUL', '{"items":[{"name":"t\\u0000ea"}]}', '/items/0/name bad_format'],
    ['half a surrogate pair', '{"items":[{"name":"tea"}],"note":"\\ud800"}', '/note bad_format'],
    ['a number beyond a double', '{"items":[{"name":"tea"}],"metadata":{"a":1e999}}', '/metadata/a out_of_range'],
    ['null for an optional field', '{"items":[{"name":"tea"}],"note":null}', '/note wrong_type'],
    ['a text for a number', '{"items":[{"name":"tea","times":"3"}]}', '/items/0/times wrong_type'],
    ['an empty text for a number', '{"items":[{"name":"tea","times":""}]}', '/items/0/times wrong_type'],
    ['true for a number', '{"items":[{"name":"tea","times":true}]}', '/items/0/times wrong_type'],
    ['a number for a text', '{"items":[{"name":5}]}', '/items/0/name wrong_type'],
    ['an object for a list', '{"items":{"name":"tea"}}', '/items wrong_type'],
    ['a list for the body', '[{"items":[{"name":"tea"}]}]', ' wrong_type'],
    ['null for the body', 'null', ' wrong_type'],
  ])('%s', async (_, body, issue) => {
    expect(await refusal(body)).toEqual([400, 'validation_failed', issue]);
    expect((await postJson({ items: [item] })).status).toBe(201);
  });

  it.each([
    ['5,000 brackets', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['33 levels in metadata', `{"items":[{"name":"tea"}],"metadata":${'{"a":'.repeat(32)}1${'}'.repeat(32)}}`],
    ['10,001 values', `{"items":[{"name":"tea"}],"metadata":{"a":[${Array(10_000).fill(1).join()}]}}`],
    ['no JSON', '{"items":'],
    ['no body', ''],
  ])('%s: 400, not 500', async (_, body) => expect(await refusal(body)).toEqual([400, 'malformed_json']));

  it('invalid UTF-8', async () => {
    const { status, body } = await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect([status, body.error]).toEqual([400, 'malformed_json']);
  });

  it('has its issues listed with a sentence', async () => {
    const { body } = await postJson({ items: [{ name: '' }], colour: 'green' });
    expect(body).toMatchObject({
      error: 'validation_failed',
      message: 'items[0].name must have between 1 and 20 characters',
      details: { issues: [{ path: '/items/0/name' }, { path: '/colour' }] },
    });
  });
});

describe('what is and what is no JSON body', () => {
  const text = JSON.stringify({ items: [item] });
  const packed = gzipSync(text);

  it.each<[string, number]>([
    ['Application/JSON', 201],
    ['application/json;charset="UTF-8"', 201],
    ['application/json; charset=utf-8; version=1', 201],
    ['application/json;', 201],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/problem+json', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8; charset=latin1', 415],
    ['application/json; charset', 415],
    ['application/json, text/plain', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('of the type %s: %i', async (type, status) =>
    expect((await post(text, { 'content-type': type })).status).toBe(status),
  );

  it.each<[string, string | Buffer, number, string | undefined]>([
    ['Identity', text, 201, undefined],
    [' GZIP ', packed, 201, undefined],
    ['br', text, 415, 'unsupported_media_type'],
    ['deflate', deflateSync(text), 415, 'unsupported_media_type'],
    ['gzip, gzip', gzipSync(packed), 415, 'unsupported_media_type'],
    ['gzip', text, 400, 'malformed_json'],
    ['gzip', packed.subarray(0, 15), 400, 'malformed_json'],
  ])('encoded as %s', async (encoding, bytes, status, error) => {
    const answer = await post(bytes, { 'content-encoding': encoding });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('is too large after inflation', async () => {
    const bomb = gzipSync(JSON.stringify({ items: [item], note: 'a'.repeat(200) }));
    const { status, body } = await post(bomb, { 'content-encoding': 'gzip' }, '/orders/small');
    expect([status, body.error, body.details?.max_bytes]).toEqual([413, 'payload_too_large', 100]);
    expect((await post(JSON.stringify({ items: [item] }), {}, '/orders/small')).status).toBe(201);
  });
});

describe('a parameter without a class', () => {
  it('is our mistake, not the caller’s', async () => {
    expect((await post('{}', {}, '/orders/untyped')).status).toBe(500);
  });
});
