import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OpenApiDocument, OpenApiMethod, OpenApiOperation } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { AnswerSchemas, documentedAnswers, type DocumentedAnswer } from '@evenkeel/platform/testing';
import { Forger } from '@evenkeel/platform/testing/service';
import { Accounts } from '../accounts.fixture';
import { accountsPart } from '../openapi/accounts-part';
import { anActor, goodBody, type Actor } from '../openapi/provoked-answers.fixture';
import { foreignRequests, type ForeignRequest, type Others } from './foreign-requests.fixture';

/** So many operations at a time, each on a connection that is kept: what one request leaves unread, the next one meets. */
const AT_ONCE = 4;
const LIMIT_MS = 15_000;
/** Any operation may meet these before it is asked. */
const ALWAYS = [400, 401, 404, 413, 415, 429];

/** Written by somebody else: it is in no answer to anybody. */
const NAME = 'Only theirs 7Kd';
const NOTE = 'only theirs 4Xw';

const accounts = Accounts.forSuite();
let evil: Forger;
let other: Actor;
let others: Others;
let otherLogs: string[];
let part: OpenApiDocument;
let answers: Map<string, DocumentedAnswer>;
let schemas: AnswerSchemas;
beforeAll(async () => {
  [evil, other, part] = [await Forger.start(), await anActor(accounts), await accountsPart()];
  await writeTheirs();
  schemas = new AnswerSchemas(part);
  answers = new Map(
    documentedAnswers(part).map((answer) => [`${answer.method} ${answer.path} ${answer.status}`, answer]),
  );
});
afterAll(() => evil.close());

/** More than one page of everything that has pages. */
async function writeTheirs(): Promise<void> {
  const { person, habitId } = other;
  const ask = async (method: string, path: string, body?: object) =>
    (await accounts.ask(method, `/v1/${path}`, { token: person.token, body })).body;
  await ask('PATCH', `habits/${habitId}`, { name: NAME });
  const { id: second } = await ask('POST', 'habits', { name: NAME });
  // Each of both has something that stands out.
  const logs = Array.from({ length: 40 }, (_, day) => {
    const occurredAt = new Date(accounts.clock.now().getTime() - day * 86_400_000).toISOString();
    return [habitId, second].map((id) => ({ habitId: id, status: 'COMPLETED', note: NOTE, occurredAt }));
  });
  await ask('POST', 'habits/logs/batch', { logs: logs.flat() });
  await ask('POST', 'habits/analyze');
  const pages = [
    await ask('GET', `habits/${habitId}/logs?limit=1`),
    await ask('GET', 'habits/changes?limit=1'),
    await ask('POST', 'habits/insights', { limit: 1 }),
  ];
  const { sessions } = (await ask('GET', 'auth/sessions')) as { sessions: { id: string }[] };
  otherLogs = await logsOf(other);
  others = {
    ids: [habitId, other.logId, person.id, ...sessions.map(({ id }) => id)],
    cursors: pages.map(({ next_cursor: cursor }) => String(cursor)),
  };
}

async function logsOf({ person: { token }, habitId }: Actor): Promise<string[]> {
  const { body } = await accounts.ask('GET', `/v1/habits/${habitId}/logs?limit=200`, { token });
  return (body.logs as { id: string }[]).map(({ id }) => id);
}

interface Named {
  method: OpenApiMethod;
  path: string;
  operation: OpenApiOperation;
}

function operations(): Named[] {
  return Object.entries(part.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method as OpenApiMethod, path, operation })),
  );
}

interface Answer {
  status: number;
  /** Without its parameters. */
  type: string;
  text: string;
}

function answerTo({ method, path, headers, body }: ForeignRequest, agent: Agent): Promise<Answer> {
  const { hostname, port } = new URL(accounts.running.url);
  const signal = AbortSignal.timeout(LIMIT_MS);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent, signal }, (answer) => {
      const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
      text(answer).then((body) => resolve({ status: answer.statusCode!, type, text: body }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The faults of an answer; empty when it has none. */
function faultsOf({ method, path, operation }: Named, sent: ForeignRequest, answer: Answer): string[] {
  const { status, text: answered } = answer;
  const faults: string[] = [];
  if (!(status in operation.responses) && !ALWAYS.includes(status)) faults.push(`${status} is not documented`);
  if (answered.includes(NAME) || answered.includes(NOTE)) faults.push('it shows what somebody else has written');
  if (status < 300 && others.ids.some((id) => sent.path.includes(id)))
    faults.push('it reaches what is of somebody else');
  const documented = answers.get(`${method} ${path} ${status}`);
  if (documented) faults.push(...contentFaults(documented, answer));
  if (status < 400) return faults;
  const members = Object.keys((answered.startsWith('{') ? JSON.parse(answered) : {}) as object).join();
  if (!/^error,message(,details)?$/.test(members)) faults.push(`the members are ${members || answered.slice(0, 200)}`);
  if (/stack|\.ts:|\.js:|SELECT |INSERT |node_modules/.test(answered))
    faults.push(`it shows what is inside: ${answered.slice(0, 300)}`);
  return faults;
}

function contentFaults(documented: DocumentedAnswer, { type, text: answered }: Answer): string[] {
  const types = Object.keys(documented.response.content ?? {});
  if (types.length === 0) return answered === '' ? [] : ['it has a body that is not documented'];
  if (!types.includes(type)) return [`it comes as ${type}, documented is ${types.join()}`];
  return type === 'application/json' ? schemas.faultsOf(documented, JSON.parse(answered)) : [];
}

/** Requests of one operation, one after the other. @returns those that got a wrong answer, and how many there were */
async function asked(named: Named): Promise<{ found: object[]; count: number }> {
  const { method, path, operation } = named;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const found: object[] = [];
  let actor = await anActor(accounts);
  const body = goodBody(operation.operationId, actor);
  const places = foreignRequests({ method, path, operation, body }, others, evil.url);
  for (const place of places) {
    const sent = place({ token: actor.person.token, habitId: actor.habitId, logId: actor.logId });
    const answer = await answerTo(sent, agent).catch((error: Error) => error.message);
    const faults = typeof answer === 'string' ? [answer] : faultsOf(named, sent, answer);
    if (faults.length > 0) found.push({ operation: operation.operationId, faults, request: sent });
    // The request may have ended a session, or the account.
    if (typeof answer === 'object' && answer.status < 300) actor = await anActor(accounts);
  }
  agent.destroy();
  return { found, count: places.length };
}

it('what names somebody else, or another server, gets a documented answer wherever it stands', async () => {
  const waiting = operations().values();
  const results: Awaited<ReturnType<typeof asked>>[] = [];
  const work = async (): Promise<void> => {
    for (const named of waiting) results.push(await asked(named));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(results.flatMap(({ found }) => found).slice(0, 3)).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(39);
  expect(results.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(500);
}, 600_000);

it('nothing of it has touched the data of somebody else', async () => {
  expect(evil.asked).toEqual([]);
  const { token } = other.person;
  const { body } = await accounts.ask('GET', `/v1/habits/${other.habitId}`, { token });
  expect(body).toMatchObject({ name: NAME, status: 'ACTIVE' });
  expect(await logsOf(other)).toEqual(otherLogs);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});
