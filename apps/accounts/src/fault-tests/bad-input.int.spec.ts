import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { audit } from '@evenkeel/audit';
import type { OpenApiDocument, OpenApiMethod, OpenApiOperation } from '@evenkeel/contracts';
import fc from 'fast-check';
import { Accounts } from '../accounts.fixture';
import { accountsPart } from '../openapi/accounts-part';
import { anActor, goodBody, type Actor } from '../openapi/provoked-answers.fixture';
import { oddRequests, type GoodRequest, type OddRequest } from './odd-requests.fixture';

/** `BAD_INPUT_SEED=… npx jest apps/accounts/src/fault-tests/bad-input` repeats a run. */
const SEED = Number(process.env['BAD_INPUT_SEED']) || randomInt(2 ** 31);
const REQUESTS = sized(30, 120);
/** It starts a thread, which compiles first, for every answer that is a file. */
const SLOW = 'exportHabits';
const SLOW_REQUESTS = sized(10, 120);
/** Five seconds, three times over for a machine that has other work. */
const LIMIT_MS = 15_000;
/** So many operations at a time, each on a connection that is kept: what one request leaves unread, the next one meets. */
const AT_ONCE = 4;
/** Any operation may meet these before it is asked. */
const ALWAYS = [400, 401, 404, 413, 415, 429];

let accounts: Accounts;
let other: Actor;
let part: OpenApiDocument;
let count = 0;
beforeAll(async () => {
  accounts = await Accounts.start();
  [other, part] = [await anActor(accounts), await accountsPart()];
});
afterAll(() => accounts.close());

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

/** Of somebody new. */
async function goodRequest({ method, path, operation }: Named): Promise<GoodRequest> {
  const actor = await anActor(accounts);
  const own = { habitId: actor.habitId, logId: actor.logId };
  const others = [other.habitId, other.logId, other.person.id];
  const body = goodBody(operation.operationId, actor) ?? {};
  return { method, path, operation, token: actor.person.token, own, others, body };
}

function answerTo(
  { method, path, headers, body }: OddRequest,
  agent: Agent,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(accounts.running.url);
  const signal = AbortSignal.timeout(LIMIT_MS);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent, signal }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode!, text: body }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What is wrong with an answer; empty when all is well. */
function faultsOf({ operation }: Named, { status, text: answered }: { status: number; text: string }): string[] {
  const faults: string[] = [];
  if (!(status in operation.responses) && !ALWAYS.includes(status)) faults.push(`${status} is not documented`);
  if (status < 400) return faults;
  const members = Object.keys((answered.startsWith('{') ? JSON.parse(answered) : {}) as object).join();
  if (!/^error,message(,details)?$/.test(members)) faults.push(`the members are ${members || answered.slice(0, 200)}`);
  if (/stack|\.ts:|\.js:|SELECT |INSERT |node_modules/.test(answered))
    faults.push(`it shows what is inside: ${answered.slice(0, 300)}`);
  return faults;
}

/** Requests of one operation, one after the other. @returns those that got a wrong answer */
async function askedOddly(named: Named, index: number): Promise<object[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const found: object[] = [];
  let good = await goodRequest(named);
  const isDestructive = /delete|^end|logout|password|Email/i.test(named.operation.operationId);
  const requests = named.operation.operationId === SLOW ? SLOW_REQUESTS : REQUESTS;
  for (let asked = 0; asked < requests; asked++) {
    const [odd] = fc.sample(oddRequests(good), { seed: SEED + index * 1_000 + asked, numRuns: 1 });
    const answer = await answerTo(odd!, agent).catch((error: Error) => error.message);
    const faults = typeof answer === 'string' ? [answer] : faultsOf(named, answer);
    count++;
    if (faults.length > 0) found.push({ operation: named.operation.operationId, faults, request: odd });
    // What was done has ended a session, or the account.
    const isDone = typeof answer === 'object' && answer.status < 300;
    if (isDestructive && isDone) good = await goodRequest(named);
  }
  agent.destroy();
  return found;
}

it(`requests of seed ${SEED} get documented answers`, async () => {
  const found: object[] = [];
  const all = [...operations().entries()];
  const slow = all.filter(([, { operation }]) => operation.operationId === SLOW);
  // First, so that the others go on beside it.
  const waiting = new Set([...slow, ...all]).values();
  const work = async (): Promise<void> => {
    for (const [index, named] of waiting) found.push(...(await askedOddly(named, index)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(found.slice(0, 3)).toEqual([]);
  expect(operations().length).toBeGreaterThanOrEqual(39);
  expect(count).toBe((operations().length - 1) * REQUESTS + SLOW_REQUESTS);
}, 600_000);

it('nothing of it has touched the data of somebody else', async () => {
  const { token } = other.person;
  expect((await accounts.ask('GET', `/v1/habits/${other.habitId}`, { token })).body).toMatchObject({
    name: 'Morning run',
  });
  const { body } = await accounts.ask('GET', `/v1/habits/${other.habitId}/logs`, { token });
  expect((body.logs as { id: string }[]).map(({ id }) => id)).toEqual([other.logId]);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});
