import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peopleClient } from '@evenkeel/client';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';
import { writePart } from '@evenkeel/platform/openapi';
import {
  AnswerSchemas,
  answersToRecord,
  DatabaseLine,
  documentedAnswers,
  shapeOf,
  type DocumentedAnswer,
} from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import { Accounts } from '../accounts.fixture';
import { accountsPart } from './accounts-part';
import { anActor, exhaust, provoke, type Actor } from './provoked-answers.fixture';

const checkedIn = JSON.parse(readFileSync(join(OPEN_API_FOLDER, 'accounts.json'), 'utf8')) as OpenApiDocument;
const isRecording = process.env['RECORD_ANSWERS'] === 'on';
const seen: Record<string, unknown> = {};

const accounts = Accounts.forSuite();
/** Others: behind limits of very few requests, and with no way to their database. */
let strict: Actor;
let cutOff: Actor;
let part: OpenApiDocument;
let schemas: AnswerSchemas;
beforeAll(async () => {
  let line: DatabaseLine | undefined;
  const [limited, down] = await Promise.all([
    Accounts.start({ RATE_LIMIT_SCALE: '0.01' }),
    Accounts.start({}, async (url) => (line = await DatabaseLine.to(url)).url),
  ]);
  [strict, cutOff] = await Promise.all([anActor(limited), anActor(down)]);
  line!.cut();
  part = await accountsPart();
  schemas = new AnswerSchemas(part);
});
afterAll(async () => {
  if (isRecording) writePart('accounts', await accountsPart(seen));
  await Promise.all([strict, cutOff].map((one) => one.accounts.close()));
});

it('is checked in as the code writes it (else: npm run openapi:write)', () => {
  expect(checkedIn).toEqual(JSON.parse(JSON.stringify(part)));
});

async function replyTo(answer: DocumentedAnswer): Promise<Reply> {
  if (answer.status === 429) return exhaust(answer, strict);
  return provoke(answer, answer.status === 503 ? cutOff : await anActor(accounts));
}

/** Answers without an example yet are recorded too. */
const describedAnswers = isRecording ? answersToRecord : documentedAnswers;
const titles = describedAnswers(checkedIn).map(({ method, path, status }) => [method, path, status] as const);

it.each(titles)('%s %s answers %i (to record again: RECORD_ANSWERS=on)', async (...title) => {
  const answer = describedAnswers(part).find(
    ({ method, path, status }) => String([method, path, status]) === String(title),
  )!;
  const { status, operation, response } = answer;
  const reply = await replyTo(answer);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(reply.headers.has('retry-after')).toBe(status === 429 || status === 503);
  if (status === 401 && operation.security.length > 0) {
    expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  }
  if (!response.content) {
    expect(reply.text).toBe('');
    return;
  }
  const isJson = reply.headers.get('content-type')!.includes('json');
  const content = isJson ? (JSON.parse(reply.text) as unknown) : reply.text;
  seen[`${operation.operationId} ${status}`] = withoutSecrets(content);
  if (isRecording) return;
  expect(schemas.faultsOf(answer, content)).toEqual([]);
  expect(shapeOf(content)).toEqual(shapeOf(answer.value));
});

/** Tokens of a service that is gone open nothing, but look as if they might. */
function withoutSecrets(content: unknown): unknown {
  const text = JSON.stringify(content, (name, value: unknown) =>
    /token$/i.test(name) && typeof value === 'string' ? `${value.slice(0, 8)}…` : value,
  );
  return JSON.parse(text);
}

it('operations name themselves, ask for a token unless they are for everybody, and say what they need', () => {
  const open: string[] = [];
  for (const operations of Object.values(part.paths)) {
    for (const { operationId, summary, description, security, responses } of Object.values(operations)) {
      expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
      expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      if (security.length === 0) open.push(operationId);
      else expect([operationId, security]).toEqual([operationId, [{ bearerAuth: [] }]]);
      const needs = operationId === 'listAccessTokenKeys' ? ['304', '429'] : ['429', '503'];
      expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(needs)]);
    }
  }
  expect(open.sort()).toEqual(
    ['forgotPassword', 'listAccessTokenKeys', 'login', 'refresh', 'register', 'resetPassword', 'verifyEmail'].sort(),
  );
});

it('a refused body is named where there is one, and nowhere else; so is what deleting an account asks for', () => {
  const all = Object.values(part.paths).flatMap((operations) => Object.values(operations));
  for (const { operationId, requestBody, responses } of all) {
    const isNamed = JSON.stringify(responses[400] ?? null).includes('`malformed_json`');
    expect([operationId, isNamed]).toEqual([operationId, requestBody?.content['application/json'] !== undefined]);
  }
  expect(part.paths['/v1/account']!.delete!.responses[401]).toMatchObject({
    description: expect.stringMatching(/`unauthorized`.*`reauthentication_required`.*`invalid_credentials`/) as string,
  });
});

it('the typed client signs in, logs and asks', async () => {
  let token: string | null = null;
  const people = peopleClient({ baseUrl: accounts.running.url, accessToken: () => token });
  expect((await people.GET('/v1/auth/me')).error).toMatchObject({ error: 'unauthorized' });

  const body = { email: 'client@example.com', password: 'seven quiet otters' };
  const { data: signedIn } = await people.POST('/v1/auth/register', { body });
  token = signedIn!.accessToken;
  const { data: habit } = await people.POST('/v1/habits', { body: { name: 'Morning run' } });
  const params = { path: { habitId: habit!.id } };
  const log = { occurredAt: '2026-01-31T07:30:00Z', status: 'COMPLETED' } as const;
  const { data: logged } = await people.POST('/v1/habits/{habitId}/logs', { params, body: log });
  expect(logged!.localDate).toBe('2026-01-31');
  const { data: analysis } = await people.POST('/v1/habits/analyze', { body: {} });
  expect(analysis!.habits.map((one) => one.habit)).toEqual(['Morning run']);
});
