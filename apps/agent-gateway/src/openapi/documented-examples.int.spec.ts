import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type OpenApiDocument, openApiParts, PAID_ENDPOINTS } from '@evenkeel/contracts';
import {
  DatabaseLine,
  limitedRoutes,
  routesOf,
  AnswerSchemas,
  type DocumentedAnswer,
  documentedAnswers,
} from '@evenkeel/platform/testing';
import { aBuyerWith } from '../credits/credit.fixture';
import { aGateway, type Reply } from '../gateway.fixture';
import { FILE_PATHS } from '../discovery/documents';
import { AnswerCall } from '../payments/pay';
import { gatewayPart } from './gateway-part';

const gateway = aGateway();
/** The same behind limits of one call in a window, whatever they say. */
const strict = aGateway({ besides: gateway, settings: { RATE_LIMIT_SCALE: '0.001' } });
/** The same with no way to its database. */
let line: DatabaseLine;
const cutOff = aGateway(async () => {
  line = await DatabaseLine.to(gateway.database.url);
  return { besides: gateway, settings: { DATABASE_URL: line.url } };
});
let answers: DocumentedAnswer[];
let schemas: AnswerSchemas;
beforeAll(async () => {
  line.cut();
  const document = (await gateway.send('/openapi.json')).body as unknown as OpenApiDocument;
  answers = documentedAnswers(document);
  schemas = new AnswerSchemas(document);
});
afterEach(() => jest.restoreAllMocks());

const paid = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));
/** Headers of an answer that the document must have too. */
const TELLING_HEADERS = [
  'content-digest',
  'etag',
  'payment-required',
  'payment-response',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-engine-version',
  'x-evenkeel-receipt',
  'x-payment-response',
  'x-request-id',
];

/** The fault of the facilitator or of our own code that gives each example, by status and name. */
const FAULTS: Record<string, () => unknown> = {
  '500 unforeseen': () => jest.spyOn(gateway.app.get(AnswerCall), 'execute').mockRejectedValue(new Error('gone')),
  '502 unverified': () => gateway.control({ mode: '500', on: 'verify', count: 1 }),
  '502 unknown': () => gateway.control({ mode: 'refused', reason: 'unexpected_error', count: 1 }),
};

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Sends the request of an answer, paid where that costs something. */
async function send(answer: DocumentedAnswer, to = gateway, headers: Record<string, string> = {}): Promise<Reply> {
  const { path, method, status, request } = answer;
  const endpoint = paid.get(path);
  const payment = endpoint && status !== 402 && status !== 429 ? await gateway.aBuyer().sign({ endpoint }) : null;
  const bodies: Record<number, unknown> = { 202: NOTIFICATION, 413: { padding: 'x'.repeat(140_000) } };
  const body = bodies[status] ?? request.body;
  const hint = status === 503 && path === '/agent/v1/pricing' ? `?wallet=${gateway.aBuyer().wallet}` : '';
  return to.send((request.path ?? path + hint).replace('{nonce}', await nonceFor(answer)), {
    method: method.toUpperCase(),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(payment && { 'x-payment': payment.header }),
      ...request.headers,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The nonce of a payment: where one is read that is known, it is paid first. */
async function nonceFor({ path, status }: DocumentedAnswer): Promise<string> {
  const payment = await gateway.aBuyer().sign();
  if (status === 200 && path.includes('{nonce}')) await gateway.pay(payment);
  return payment.nonce;
}

async function replyTo(answer: DocumentedAnswer): Promise<Reply> {
  const { status, name } = answer;
  FAULTS[`${status} ${name}`]?.();
  if (status === 304) return send(answer, gateway, { 'if-none-match': (await send(answer)).headers.get('etag')! });
  if (status === 503) return send(answer, cutOff);
  if (status !== 429) return send(answer);
  strict.clock.advanceMs(120_000);
  await send(answer, strict);
  return send(answer, strict);
}

const titles = documentedAnswers(openApiParts().get('agent-gateway')!).map(
  ({ method, path, status, name }) => [`${method} ${path}`, status, name] as const,
);

it.each(titles)('%s answers %i as the example %s says', async (title, status, name) => {
  const answer = answers.find(
    (one) => `${one.method} ${one.path}` === title && one.status === status && one.name === name,
  )!;
  const reply = await replyTo(answer);
  expect(reply.status).toBe(status);
  const { headers } = answer.response;
  const documented = headers && Object.keys(headers).map((header) => header.toLowerCase());
  for (const header of TELLING_HEADERS.filter((one) => documented && reply.headers.has(one))) {
    expect(documented).toContain(header);
  }
  if (name === null) {
    expect(reply.text).toBe('');
    return;
  }
  const isJson = reply.headers.get('content-type')!.includes('json');
  expect(schemas.faultsOf(answer, isJson ? reply.body : reply.text)).toEqual([]);
  if (!isJson) expect(reply.text.startsWith(answer.value as string)).toBe(true);
  // Results and refusals are the same every time; times, nonces and excerpts are not.
  if (paid.has(answer.path) && status === 200) expect(reply.body).toEqual(answer.value);
  if (status >= 400) {
    const { error, message } = answer.value as Reply['body'];
    expect([reply.body.error, reply.body.message]).toEqual([error, message]);
  }
});

it('answers with what those above leave empty are as documented too', async () => {
  for (const endpoint of PAID_ENDPOINTS) {
    const { operation, exampleInput } = endpoint;
    const { habits, tasks, ...rest } = exampleInput as unknown as Record<string, object[]>;
    const strange = (items: object[]) => items.map((item) => ({ ...item, mood: 'strange' }));
    const request = { ...rest, ...(habits && { habits: strange(habits) }), ...(tasks && { tasks: strange(tasks) }) };
    const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 99_999 });
    const reply = await gateway.pay(await buyer.sign({ endpoint }), { endpoint, body: request });
    const { operationId } = answers.find(({ path, method }) => path === endpoint.path && method === 'post')!.operation;
    expect([operation, schemas.faultsIn(operationId, reply)]).toEqual([operation, []]);
  }
});

let part: OpenApiDocument;
let documented: { route: string; isLimited: boolean }[];
beforeAll(async () => {
  part = await gatewayPart();
  documented = Object.entries(part.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      isLimited: '429' in responses,
    })),
  );
});

/** Pages and files for crawlers and browsers, which are not called as an API; `/.well-known/api-catalog` leads to them. */
const FILES = [...FILE_PATHS, '/docs', '/problems/:code'].map((path) => `GET ${path}`);

it('the document names every route that answers, and no other; each is limited that should be', async () => {
  expect(routesOf(gateway.app)).toEqual([...documented.map(({ route }) => route), ...FILES].sort());
  const ping = { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: { 'content-type': 'application/json' } };
  const call = (method: string, path: string) =>
    strict.send(path.replace(':nonce', `0x${'ab'.repeat(32)}`).replace(':code', 'not_found'), {
      method,
      redirect: 'manual',
      ...(path === '/mcp' && ping),
    });
  const limited = await limitedRoutes(routesOf(strict.app), call, () => strict.clock.advanceMs(120_000));
  const expected = documented.filter(({ isLimited }) => isLimited).map(({ route }) => route);
  expect(limited).toEqual([...expected, ...FILES].sort());
});

it("the gateway's part of the document is checked in as the code says it (else: npm run openapi:write)", () => {
  const written = readFileSync(join(OPEN_API_FOLDER, 'agent-gateway.json'), 'utf8');
  expect(`${JSON.stringify(part, null, 2)}\n`).toBe(written);
});

it('names, explains and opens every operation', () => {
  const operations = Object.values(part.paths).flatMap((path) => Object.values(path));
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const { operationId, summary, description, security } of operations) {
    expect([operationId, security]).toEqual([expect.stringMatching(/^[a-z]+([A-Z][a-z]+)+$/), []]);
    expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w\.$/)]);
  }
});
