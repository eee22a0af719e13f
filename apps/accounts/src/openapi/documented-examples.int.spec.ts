import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peopleClient } from '@evenkeel/client';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';
import { writePart } from '@evenkeel/platform/openapi';
import { DatabaseLine, AnswerSchemas, documentedAnswers, type DocumentedAnswer } from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import { Accounts } from '../accounts.fixture';
import { accountsPart } from './accounts-part';
import { anActor, exhaust, fullAnswers, provoke, type Actor } from './provoked-answers.fixture';

const checkedIn = JSON.parse(readFileSync(join(OPEN_API_FOLDER, 'accounts.json'), 'utf8')) as OpenApiDocument;
const isRecording = process.env['RECORD_ANSWERS'] === 'on';
const seen: Record<string, unknown> = {};

let accounts: Accounts;
/** Others: behind limits of very few requests, and with no way to their database. */
let strict: Actor;
let cutOff: Actor;
let part: OpenApiDocument;
let schemas: AnswerSchemas;
beforeAll(async () => {
  accounts = await Accounts.start();
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
  await Promise.all([accounts, strict.accounts, cutOff.accounts].map((one) => one.close()));
});

it('is checked in as the code writes it (else: npm run openapi:write)', () => {
  expect(checkedIn).toEqual(JSON.parse(JSON.stringify(part)));
});

async function replyTo(answer: DocumentedAnswer): Promise<Reply> {
  if (answer.status === 429) return exhaust(answer, strict);
  return provoke(answer, answer.status === 503 ? cutOff : await anActor(accounts));
}

/** What has members of the same names has the same shape; a list has that of its first item. Types are for the schema. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.entries(value).map(([name, member]) => [UUID.test(name) ? 'id' : name, shapeOf(member)]);
  return Object.fromEntries(members);
}

const UUID = /^[0-9a-f-]{36}$/;

/** Answers without an example yet are recorded too. */
function describedAnswers(document: OpenApiDocument): DocumentedAnswer[] {
  if (!isRecording) return documentedAnswers(document);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      Object.entries(operation.responses).map(([status, response]) => {
        const about = { path, method: method as DocumentedAnswer['method'], status: Number(status), name: null };
        return {
          ...about,
          value: undefined,
          request: {},
          operation,
          response: response as DocumentedAnswer['response'],
        };
      }),
    ),
  );
}

const titles = describedAnswers(checkedIn).map(({ method, path, status }) => [method, path, status] as const);

it.each(titles)('%s %s answers %i (to record again: RECORD_ANSWERS=on)', async (...title) => {
  const answer = describedAnswers(part).find(
    ({ method, path, status }) => String([method, path, status]) === String(title),
  )!;
  const { status, operation, response } = answer;
  const reply = await replyTo(answer);
  expect([reply.status, reply.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(reply.headers.has('retry-after')).toBe(status === 429 || status === 503);
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

it('the answers above have an item in each list of the document: of an empty one nobody knows what it may hold', async () => {
  if (isRecording) return;
  for (const [operationId, reply] of await fullAnswers(await anActor(accounts))) {
    expect([operationId, schemas.faultsIn(operationId, reply)]).toEqual([operationId, []]);
  }
  expect(schemas.listsNotSeen()).toEqual([]);
});

/** Tokens of a service that is gone open nothing, but look as if they might. */
function withoutSecrets(content: unknown): unknown {
  const text = JSON.stringify(content, (name, value: unknown) =>
    /token$/i.test(name) && typeof value === 'string' ? `${value.slice(0, 8)}…` : value,
  );
  return JSON.parse(text);
}

it('operations name themselves, and ask for a token unless they are for everybody', () => {
  const open: string[] = [];
  for (const operations of Object.values(part.paths)) {
    for (const { operationId, summary, description, security } of Object.values(operations)) {
      expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
      expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      if (security.length === 0) open.push(operationId);
      else expect([operationId, security]).toEqual([operationId, [{ bearerAuth: [] }]]);
    }
  }
  expect(open.sort()).toEqual(
    ['forgotPassword', 'listAccessTokenKeys', 'login', 'refresh', 'register', 'resetPassword', 'verifyEmail'].sort(),
  );
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
