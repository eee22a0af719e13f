import { randomUUID } from 'node:crypto';
import { openApiParts, PAID_ENDPOINTS, type OpenApiDocument } from '@evenkeel/contracts';
import { AnswerSchemas, DatabaseLine, type DocumentedAnswer, documentedAnswers } from '@evenkeel/platform/testing';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { aBuyerWith } from '../credits/credit.fixture';
import { AnswerCall } from '../payments/pay';

let gateway: Gateway;
/** The same behind a limit of one request. */
let strict: Gateway;
/** The same with no way to its database. */
let cutOff: Gateway;
let answers: DocumentedAnswer[];
let schemas: AnswerSchemas;
beforeAll(async () => {
  gateway = await startGateway();
  const limits = { RATE_AGENT_ADDRESS: '1/60', RATE_DISCOVERY: '1/60', RATE_LIMIT_SCALE: '1' };
  strict = await startGateway({ besides: gateway, settings: limits });
  const line = await DatabaseLine.to(gateway.database.url);
  cutOff = await startGateway({ besides: gateway, settings: { DATABASE_URL: line.url } });
  line.cut();
  const document = (await gateway.send('/openapi.json')).body as unknown as OpenApiDocument;
  answers = documentedAnswers(document);
  schemas = new AnswerSchemas(document);
});
afterAll(async () => {
  await cutOff.close();
  await strict.close();
  await gateway.close();
});
afterEach(() => {
  gateway.facilitator.control({ mode: 'ok' });
  jest.restoreAllMocks();
});

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

/** What the facilitator or our own code must do wrong, by status and name of the example. */
const FAULTS: Record<string, () => unknown> = {
  '500 unforeseen': () => jest.spyOn(gateway.app.get(AnswerCall), 'execute').mockRejectedValue(new Error('gone')),
  '502 unverified': () =>
    gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', on: 'verify', count: 1 }),
  '502 unknown': () => gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 }),
};

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Sends the request of an answer, paid where that costs something. */
async function send(answer: DocumentedAnswer, to = gateway, headers: Record<string, string> = {}): Promise<Reply> {
  const { path, method, status, request } = answer;
  const endpoint = paid.get(path);
  const payment = endpoint && status !== 402 && status !== 429 ? await gateway.aBuyer().sign({ endpoint }) : null;
  const bodies: Record<number, unknown> = { 202: NOTIFICATION, 413: { padding: 'x'.repeat(140_000) } };
  const body = bodies[status] ?? request.body;
  const known = status === 200 ? await knownOf(path) : {};
  const hint = status === 503 && path === '/agent/v1/pricing' ? `?wallet=${gateway.aBuyer().wallet}` : '';
  const { nonce = `0x${'ab'.repeat(32)}`, id = randomUUID() } = known;
  return to.send((request.path ?? path + hint).replace('{nonce}', nonce).replace('{id}', id), {
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

/** What something is asked for by: it is paid or created first. */
async function knownOf(path: string): Promise<{ nonce?: string; id?: string }> {
  if (path.includes('{nonce}')) {
    const payment = await gateway.aBuyer().sign();
    await gateway.pay(payment);
    return { nonce: payment.nonce };
  }
  if (!path.includes('{id}')) return {};
  const { body } = await send(answers.find((one) => one.status === 201 && path.startsWith(one.path))!);
  return { id: String(body['id']) };
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

it('the answers above have an item in each list of the document: of an empty one nobody knows what it may hold', async () => {
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
  expect(schemas.listsNotSeen(openApiParts().get('agent-gateway'))).toEqual([]);
});
