import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';
import { writePart } from '@evenkeel/platform/openapi';
import {
  AnswerSchemas,
  DatabaseLine,
  type DocumentedAnswer,
  documentedAnswers,
  eventually,
  limitedRoutes,
  routesOf,
} from '@evenkeel/platform/testing';
import { Reporting, TOKEN, type Reply } from '../revenue/reporting.fixture';
import {
  aMonthOfSubscriptions,
  publishedOf as subscriptionsOf,
} from '../projection/subscriptions/subscription-history.fixture';
import type { RevenueChangesView } from '../revenue/changes/read-changes';
import { aCredit, aPayment, publishedOf } from '../revenue/story.fixture';
import { reportingPart } from './reporting-part';

const checkedIn = JSON.parse(readFileSync(join(OPEN_API_FOLDER, 'reporting.json'), 'utf8')) as OpenApiDocument;
const isRecording = process.env['RECORD_ANSWERS'] === 'on';
const seen: Record<string, unknown> = {};

const payment = aPayment();
const reporting = Reporting.forSuite();
/** Others: behind limits of one request, without a token configured, and with no way to their database. */
const strict = Reporting.forSuite({ RATE_LIMIT_SCALE: '0.001' });
const unconfigured = Reporting.forSuite({ ADMIN_TOKEN: undefined });
let line: DatabaseLine;
const cutOff = Reporting.forSuite(async () => {
  line = await DatabaseLine.to(reporting.database.url);
  return { DATABASE_URL: line.url };
});
let part: OpenApiDocument;
let schemas: AnswerSchemas;
beforeAll(async () => {
  line.cut();
  await reporting.publish(
    ...publishedOf(
      [payment, aPayment({ states: ['settlement_pending'], served: false }), aPayment({ amountMicros: 30_000 })],
      [aCredit()],
    ),
  );
  await reporting.publish(...subscriptionsOf(aMonthOfSubscriptions()));
  part = await reportingPart();
  schemas = new AnswerSchemas(part);
});
afterAll(async () => {
  if (isRecording) writePart('reporting', await reportingPart(seen));
});

it('is checked in as the code writes it (else: npm run openapi:write)', () => {
  expect(checkedIn).toEqual(JSON.parse(JSON.stringify(part)));
});

/** Sends the request of an answer, as an operator unless the answer is for a caller without a token. */
async function send(answer: DocumentedAnswer, to: Reporting, known: Record<string, string> = {}): Promise<Reply> {
  const { method, status, request } = answer;
  const headers = { ...(status !== 401 && { 'x-admin-token': TOKEN }), ...known };
  const path = request.path ?? pathOf(answer) + (await queryOf(answer, to));
  return to.send(path, { method: method.toUpperCase(), headers });
}

/** Two days, so that examples are short; nothing new for who knows the latest version. */
async function queryOf(
  { status, path, operation: { parameters = [] } }: DocumentedAnswer,
  to: Reporting,
): Promise<string> {
  if (parameters.some(({ name, required }) => name === 'month' && required)) return '?month=2026-02';
  if (parameters.some(({ name }) => name === 'days') && !path.endsWith('customers')) return '?days=2';
  return status === 204 ? `?since=${(await to.answer<RevenueChangesView>('changes')).version}` : '';
}

/** The first payment is asked for by its id; for a refusal nothing has this id. */
function pathOf({ path, status }: DocumentedAnswer): string {
  return path.replace('{id}', status === 200 ? payment.id : randomUUID());
}

/** Once nothing is behind: on a busy machine the worker may look late, and answers say so until it has. */
function upToDate(answer: DocumentedAnswer): Promise<Reply> {
  return eventually(
    async () => {
      const reply = await send(answer, reporting);
      expect(reply.body.lag_seconds ?? 0).toBe(0);
      return reply;
    },
    { withinMs: 30_000 },
  );
}

async function replyTo(answer: DocumentedAnswer): Promise<Reply> {
  const { status } = answer;
  if (status === 200) return upToDate(answer);
  if (status === 304) {
    const etag = (await send(answer, reporting)).headers.get('etag')!;
    return send(answer, reporting, { 'if-none-match': etag });
  }
  if (status !== 429) return send(answer, { 501: unconfigured, 503: cutOff }[status] ?? reporting);
  strict.clock.advanceMs(120_000);
  await send(answer, strict);
  return send(answer, strict);
}

/** As it is documented: with the limit of everybody, not with the limit of this test. */
function contentOf({ headers, body, text, status }: Reply, { value }: DocumentedAnswer): unknown {
  if (!headers.get('content-type')!.includes('json')) return text;
  const { limit } = (value as Reply['body']).details ?? {};
  return status === 429 ? { ...body, details: { ...body.details, limit } } : body;
}

const titleOf = ({ method, path, status, name }: DocumentedAnswer) => [method, path, status, name] as const;
const titles = documentedAnswers(checkedIn).map(titleOf);

it.each(titles)('%s %s answers %i as %s (to record again: RECORD_ANSWERS=on)', async (...title) => {
  const answer = documentedAnswers(part).find((one) => String(titleOf(one)) === String(title))!;
  const { status, name } = answer;
  const reply = await replyTo(answer);
  expect(reply.status).toBe(status);
  if (name === null) return expect(reply.text).toBe('');
  const content = contentOf(reply, answer);
  if (status === 200 && name !== 'beginning') seen[`${answer.operation.operationId} 200`] = content;
  if (status === 200 && isRecording) return;
  expect(schemas.faultsOf(answer, content)).toEqual([]);
  if (name === 'beginning') {
    expect((content as string).startsWith(answer.value as string)).toBe(true);
    return;
  }
  expect(content).toEqual(answer.value);
  expect(reply.headers.has('retry-after')).toBe(status === 429 || status === 503);
});

it('answers with what those above leave empty are as documented too', async () => {
  if (isRecording) return;
  const begun = aPayment({ verifiedAt: new Date('2026-01-01T10:00:00.000Z') });
  const [noHash] = publishedOf([aPayment()]);
  const unpaid = publishedOf([begun, aPayment({ states: ['settlement_failed'] })]);
  await reporting.publish(...unpaid, { ...noHash!, data: { ...noHash!.data, transactionHash: null } });
  const dear = await Reporting.start({ COST_MICROS: '/agent/v1/habits/plan=900' });
  const compared = 'days=2&compare=previous';
  const asked: [operationId: string, path: string, of: Reporting][] = [
    ['getReconciliation', 'reconciliation', reporting],
    ['getRevenueTimeseries', `timeseries?${compared}`, reporting],
    ['getRevenueByEndpoint', `endpoints?${compared}`, reporting],
    ['getSubscriptionRevenue', `subscriptions?${compared}`, reporting],
    ['getRevenueSummary', 'summary', dear],
  ];
  for (const [operationId, path, of] of asked) {
    const reply = await of.read(path);
    expect([path, schemas.faultsIn(operationId, reply)]).toEqual([path, []]);
  }
  await dear.close();
});

it('operations of operators ask for the token, and only those', () => {
  const operations = Object.entries(part.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );
  for (const { path, operationId, security, summary, description } of operations) {
    expect([path, security]).toEqual([path, path.startsWith('/v1/admin/') ? [{ adminToken: [] }] : []]);
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
    expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
  }
});

it('the document names every route that answers, and no other', () => {
  const documented = Object.entries(part.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routesOf(reporting.app)).toEqual(documented.sort());
});

it('every route is limited', async () => {
  const routes = routesOf(strict.app);
  const call = (method: string, path: string) => strict.send(path, { method, headers: { 'x-admin-token': TOKEN } });
  expect(await limitedRoutes(routes, call, () => strict.clock.advanceMs(120_000))).toEqual(routes);
});
