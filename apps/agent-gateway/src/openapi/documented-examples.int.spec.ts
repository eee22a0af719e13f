import { PAID_ENDPOINTS, type OpenApiDocument } from '@evenkeel/contracts';
import { poolOf } from '@evenkeel/platform';
import { Ajv2020 } from 'ajv/dist/2020';
import { DataSource } from 'typeorm';
import { AnswerCall } from '../agent-surface/answer-call';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { FindPayments } from '../ledger/find-payments';
import { documentedExamples, type DocumentedExample } from './documented-examples.fixture';
import { samplePart } from './sample-part';

let gateway: Gateway;
/** The same behind a limit of one request. */
let strict: Gateway;
let document: OpenApiDocument;
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uuid: true } });
beforeAll(async () => {
  gateway = await startGateway();
  const limits = { RATE_AGENT_ADDRESS: '1/60', RATE_DISCOVERY: '1/60', RATE_LIMIT_SCALE: '1' };
  strict = await startGateway({ besides: gateway, settings: limits });
  document = (await gateway.send('/openapi.json')).body as unknown as OpenApiDocument;
  ajv.addSchema(document, 'openapi');
});
afterAll(async () => {
  await strict.close();
  await gateway.close();
});
afterEach(() => {
  gateway.facilitator.control({ mode: 'ok' });
  jest.restoreAllMocks();
});

const paid = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));
const gone = new Error('gone');
/** What an answer tells in its headers, the document tells too. */
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

/** What must be the case besides the request, by status and name of the example. */
const CIRCUMSTANCES: Record<string, () => unknown> = {
  '429 limited': () => undefined,
  '500 unforeseen': () => jest.spyOn(gateway.app.get(AnswerCall), 'execute').mockRejectedValue(gone),
  '502 unverified': () =>
    gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', on: 'verify', count: 1 }),
  '502 unknown': () => gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 }),
  '503 unavailable': () => [
    jest.spyOn(gateway.app.get(FindPayments), 'byNonce').mockRejectedValue(gone),
    jest.spyOn(poolOf(gateway.app.get(DataSource)), 'query').mockRejectedValue(gone as never),
  ],
};

/** Sends the request of an example, paid where its answer costs something. */
async function send({ path, method, status, request }: DocumentedExample, to = gateway): Promise<Reply> {
  const endpoint = paid.get(path);
  const payment = endpoint && status !== 402 && status !== 429 ? await gateway.aBuyer().sign({ endpoint }) : null;
  const body = status === 413 ? { padding: 'x'.repeat(140_000) } : request.body;
  const known = status === 200 && path === '/agent/v1/payments/{nonce}' ? await aSettledNonce() : null;
  const hint = status === 503 && path === '/agent/v1/pricing' ? `?wallet=${gateway.aBuyer().wallet}` : '';
  return to.send((request.path ?? path + hint).replace('{nonce}', known ?? `0x${'ab'.repeat(32)}`), {
    method: method.toUpperCase(),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(payment && { 'x-payment': payment.header }),
      ...request.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function aSettledNonce(): Promise<string> {
  const payment = await gateway.aBuyer().sign();
  await gateway.pay(payment);
  return payment.nonce;
}

async function answerTo(example: DocumentedExample): Promise<Reply> {
  CIRCUMSTANCES[`${example.status} ${example.name}`]?.();
  if (example.status !== 429) return send(example);
  strict.clock.advanceMs(120_000);
  await send(example, strict);
  return send(example, strict);
}

/** JSON Pointer to the schema of an answer, through shared answers. */
function schemaOf({ path, method, status, operation }: DocumentedExample): string {
  const response = operation.responses[status]!;
  const step = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
  const place = '$ref' in response ? response.$ref : `#/paths/${step(path)}/${method}/responses/${status}`;
  return `openapi${place.split('/').map(encodeURIComponent).join('/').replace('%23', '#')}/content/application~1json/schema`;
}

const samples = documentedExamples(samplePart());
const titles = samples.map(({ method, path, status, name }) => [`${method} ${path}`, status, name] as const);

it('every answer with a body has an example', () => {
  for (const [path, operations] of Object.entries(samplePart().paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      const found = samples.filter((one) => one.path === path && one.method === method).map(({ status }) => status);
      const expected = Object.keys(responses).map(Number);
      const bodiless = [202, 304];
      expect([path, method, [...new Set(found)]]).toEqual([
        path,
        method,
        expected.filter((status) => !bodiless.includes(status)),
      ]);
    }
  }
});

it.each(titles)('%s answers %i as the example %s says', async (title, status, name) => {
  const example = documentedExamples(document).find(
    (one) => `${one.method} ${one.path}` === title && one.status === status && one.name === name,
  )!;
  const reply = await answerTo(example);
  expect(reply.status).toBe(status);
  if (!reply.headers.get('content-type')!.includes('json')) {
    expect(reply.text.startsWith(example.value as string)).toBe(true);
    return;
  }
  const validate = ajv.getSchema(schemaOf(example))!;
  expect([validate(example.value), validate.errors]).toEqual([true, null]);
  expect([validate(reply.body), validate.errors]).toEqual([true, null]);
  expect([validate(null), validate({ ...reply.body, ...spoiled(reply) })]).toEqual([false, false]);
  // Results and refusals are the same every time; times, nonces and excerpts are not.
  if (paid.has(example.path) && status === 200) expect(reply.body).toEqual(example.value);
  if (status >= 400) {
    const { error, message } = example.value as Reply['body'];
    expect([reply.body.error, reply.body.message]).toEqual([error, message]);
  }
  const documented = Object.keys(example.response.headers!).map((header) => header.toLowerCase());
  for (const header of TELLING_HEADERS.filter((one) => reply.headers.has(one))) expect(documented).toContain(header);
});

/** The first member with a value of another type: the schema must see it. */
function spoiled({ body }: Reply): object {
  const [name] = Object.keys(body);
  return { [name!]: typeof body[name!] === 'object' ? 0 : {} };
}
