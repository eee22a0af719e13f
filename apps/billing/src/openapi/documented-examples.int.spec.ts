import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';
import { writePart } from '@evenkeel/platform/openapi';
import {
  AnswerSchemas,
  answersToRecord,
  DatabaseLine,
  documentedAnswers,
  limitedRoutes,
  routesOf,
  shapeOf,
} from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { billingPart } from './billing-part';
import { provoke, type Stage } from './provoked-answers.fixture';

const checkedIn = JSON.parse(readFileSync(join(OPEN_API_FOLDER, 'billing.json'), 'utf8')) as OpenApiDocument;
const isRecording = process.env['RECORD_ANSWERS'] === 'on';
const seen: Record<string, unknown> = {};

let stage: Stage;
let part: OpenApiDocument;
let schemas: AnswerSchemas;
beforeAll(async () => {
  const shop = await Shop.start();
  const { STRIPE_SECRET_KEY: _, STRIPE_API_BASE: __, ...settings } = shop.stripe.settings();
  let line: DatabaseLine | undefined;
  const [bare, keyless, strict, cutOff] = await Promise.all([
    Billing.start(),
    Billing.start(settings),
    Billing.start({ RATE_LIMIT_SCALE: '0.001' }),
    Billing.start(settings, undefined, async (url) => (line = await DatabaseLine.to(url)).url),
  ]);
  // Keys of tokens are fetched once, and remembered.
  await cutOff.ask('GET', '/v1/billing/me', { token: cutOff.person().token });
  line!.cut();
  stage = { shop, bare, keyless, strict, cutOff };
  part = await billingPart();
  schemas = new AnswerSchemas(part);
});
afterAll(async () => {
  if (isRecording) writePart('billing', await billingPart(seen));
  const { bare, keyless, strict, cutOff } = stage;
  await Promise.all([bare, keyless, strict, cutOff].map((one) => one.close()));
  await Shop.closeAll();
});

it('is checked in as the code writes it (else: npm run openapi:write)', () => {
  expect(checkedIn).toEqual(JSON.parse(JSON.stringify(part)));
});

/** Answers without an example yet are recorded too. */
const describedAnswers = isRecording ? answersToRecord : documentedAnswers;
const titles = describedAnswers(checkedIn).map(({ method, path, status }) => [method, path, status] as const);

it.each(titles)('%s %s answers %i (to record again: RECORD_ANSWERS=on)', async (...title) => {
  const answer = describedAnswers(part).find(
    ({ method, path, status }) => String([method, path, status]) === String(title),
  )!;
  const { status, operation, response } = answer;
  const reply = await provoke(answer, stage);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(reply.headers.has('retry-after')).toBe(status === 429 || status === 503);
  if (!response.content) return expect(reply.text).toBe('');
  seen[`${operation.operationId} ${status}`] = asExample(reply.body);
  if (isRecording) return;
  expect(schemas.faultsOf(answer, reply.body)).toEqual([]);
  expect(shapeOf(reply.body)).toEqual(shapeOf(answer.value));
});

/** The provider's addresses are not those of this run. */
function asExample(body: object): unknown {
  const text = JSON.stringify(body).replaceAll(stage.shop.stripe.url, 'https://checkout.stripe.com');
  return JSON.parse(text);
}

it('the document names every route that answers, and no other', () => {
  const documented = Object.entries(part.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routesOf(stage.bare.app)).toEqual(documented.sort());
});

it('every route is limited but that of the provider, whose signature stands before all work', async () => {
  const { strict } = stage;
  const routes = routesOf(strict.app).filter((route) => !route.includes('/webhook/'));
  const headers = () => ({ authorization: `Bearer ${strict.person('0194a1c2-0000-7000-8000-000000000000').token}` });
  const call = (method: string, path: string) => strict.send(path, { method, headers: headers() });
  const goOn = async (): Promise<void> => strict.clock.advanceMs(7_200_000);
  expect(await limitedRoutes(routes, call, goOn)).toEqual(routes);
});

it('operations ask for a token or, of the provider, a signature, unless they are for everybody, and name the refusal of a body', () => {
  const all = Object.values(part.paths).flatMap((operations) => Object.values(operations));
  const open = all.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId);
  expect(open).toEqual(['listPlans']);
  const signed = all.filter(({ security }) => security.some((scheme) => 'webhookSignature' in scheme));
  expect(signed.map(({ operationId }) => operationId)).toEqual(['receiveBillingEvent']);
  for (const { operationId, requestBody, responses } of all) {
    const isNamed = JSON.stringify(responses[400] ?? null).includes('`malformed_json`');
    expect([operationId, isNamed]).toEqual([operationId, requestBody !== undefined]);
  }
});
