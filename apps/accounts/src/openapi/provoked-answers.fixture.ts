import { randomUUID } from 'node:crypto';
import type { DocumentedAnswer } from '@evenkeel/platform/testing';
import type { AskOptions, Reply } from '@evenkeel/platform/testing/service';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';

const CSV = 'habit,date,value,note\nMorning run,2026-01-05,1,fog\nMorning run,2026-01-40,1,\n';
const STRETCH = { name: 'Stretch' };
const LOG = { occurredAt: '2026-01-30T07:30:00+01:00', status: 'COMPLETED', moodScore: 8 };

/** Somebody with Premium, a habit and a log, in the service under test. */
export interface Actor {
  accounts: Accounts;
  person: Person;
  habitId: string;
  logId: string;
}

export async function anActor(accounts: Accounts): Promise<Actor> {
  // The clock stands still, and only the youngest mails are shown: theirs are younger than those of the ones before.
  accounts.clock.advanceMs(1);
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  await accounts.grantPremium(person.id);
  const { body: habit } = await accounts.ask('POST', '/v1/habits', {
    token: person.token,
    body: { name: 'Morning run', startDate: '2026-01-05T07:00:00+01:00' },
  });
  const habitId = String(habit.id);
  const { body: log } = await accounts.ask('POST', `/v1/habits/${habitId}/logs`, { token: person.token, body: LOG });
  return { accounts, person, habitId, logId: String(log.id) };
}

type Send = (method: string, path: string, options?: AskOptions) => Promise<Reply>;
type Provocation = (actor: Actor, send: Send) => Promise<Reply>;

/** Good bodies, by operation; `{…}` in a path is the actor's own. */
const BODIES: Record<string, (actor: Actor) => unknown> = {
  changePassword: ({ person }) => ({ currentPassword: person.password, newPassword: 'eight quiet otters' }),
  refresh: ({ person }) => ({ refreshToken: person.refreshToken }),
  changeProfile: () => ({ displayName: 'Ana', timezone: 'Europe/Madrid', dayStartMinutes: 180 }),
  changeEmail: ({ person }) => ({ email: `new-${person.email}`, password: person.password }),
  forgotPassword: ({ person }) => ({ email: person.email }),
  createHabit: () => ({ name: 'Read 20 minutes', cadence: 'DAILY', order: 1, color: '#2e7d32' }),
  changeHabit: () => ({ name: 'Evening run' }),
  logHabit: () => ({ ...LOG, note: 'fog, then sun', contextTags: ['park'] }),
  changeLog: () => ({ status: 'PARTIAL', completionRate: 0.5 }),
  logHabits: ({ habitId }) => ({
    logs: [
      { habitId, ...LOG },
      { habitId: randomUUID(), ...LOG },
    ],
  }),
  login: ({ person: { email, password } }) => ({ email, password }),
  verifyEmail: () => ({ token: `hrv_${'A'.repeat(43)}` }),
  resetPassword: () => ({ token: `hrp_${'A'.repeat(43)}`, password: 'nine quiet otters' }),
  register: () => ({ email: `${randomUUID()}@example.com`, password: 'seven quiet otters' }),
};

const QUERIES: Record<string, string> = {
  listHabits: '?status=some',
  listLogs: '?limit=many',
  listChanges: '?cursor=some',
  habitStats: '?from=yesterday',
  showToday: '?date=yesterday',
  exportHabits: '?format=pdf',
  endSessions: '?except=mine',
};

/** Requests other than the good one and the usual bad one, by operation and status. */
const SPECIAL: Record<string, Provocation> = {
  'register 409': ({ person: { email, password } }, send) =>
    send('POST', '/v1/auth/register', { body: { email, password } }),
  'login 401': ({ person: { email } }, send) => send('POST', '/v1/auth/login', { body: { email, password: 'wrong' } }),
  'refresh 401': (_, send) => send('POST', '/v1/auth/refresh', { body: { refreshToken: 'hrr_unknown' } }),
  'verifyEmail 200': async ({ accounts, person }, send) =>
    send('POST', '/v1/auth/email/verify', { body: { token: await accounts.mailedToken(person.email, 'hrv_') } }),
  'verifyEmail 400': (_, send) => send('POST', '/v1/auth/email/verify', { body: { token: 'hrv_unknown' } }),
  'verifyEmail 409': async ({ accounts, person }, send) => {
    const email = `${randomUUID()}@example.com`;
    const { token, password } = person;
    await send('POST', '/v1/auth/email/change', { token, body: { email, password } });
    const changing = await accounts.mailedToken(email, 'hrv_');
    await accounts.ask('POST', '/v1/auth/register', { body: { email, password } });
    return send('POST', '/v1/auth/email/verify', { body: { token: changing } });
  },
  'resetPassword 204': async ({ accounts, person: { email } }, send) => {
    await send('POST', '/v1/auth/password/forgot', { body: { email } });
    const token = await accounts.mailedToken(email, 'hrp_');
    return send('POST', '/v1/auth/password/reset', {
      body: { token, password: 'nine quiet otters' },
    });
  },
  'resetPassword 400': (_, send) =>
    send('POST', '/v1/auth/password/reset', { body: { token: 'hrp_unknown', password: 'nine quiet otters' } }),
  'endSession 204': async ({ person: { token } }, send) => {
    const { body } = await send('GET', '/v1/auth/sessions', { token });
    const [{ id } = { id: '' }] = body.sessions as { id: string }[];
    return send('DELETE', `/v1/auth/sessions/${id}`, { token });
  },
  'listAccessTokenKeys 304': (_, send) => send('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': '*' } }),
  'createHabit 200': (actor, send) => sentTwice(actor, send, '/v1/habits', STRETCH),
  'createHabit 404': async ({ person: { token } }, send) => {
    const body = { ...STRETCH, clientId: randomUUID() };
    const created = await send('POST', '/v1/habits', { token, body });
    await send('DELETE', `/v1/habits/${String(created.body.id)}`, { token });
    return send('POST', '/v1/habits', { token, body });
  },
  'createHabit 409': (actor, send) => sentTwice(actor, send, '/v1/habits', STRETCH, { name: 'Stretch at noon' }),
  'logHabit 409': (actor, send) => sentTwice(actor, send, `/v1/habits/${actor.habitId}/logs`, LOG, { note: 'fog' }),
  'listChanges 200': async ({ person: { token }, habitId }, send) => {
    const path = `/v1/habits/${habitId}/logs`;
    const { body } = await send('POST', path, { token, body: { ...LOG, clientId: randomUUID() } });
    await send('DELETE', `${path}/${String(body.id)}`, { token });
    return send('GET', '/v1/habits/changes', { token });
  },
  'logHabits 409': (actor, send) =>
    withUsedKey(actor, send, '/v1/habits/logs/batch', { logs: [{ habitId: actor.habitId, ...LOG }] }),
  'createHabit 402': overTheCap,
  'unarchiveHabit 402': async (actor, send) => {
    const { token } = actor.person;
    await send('POST', `/v1/habits/${actor.habitId}/archive`, { token });
    await overTheCap(actor, send);
    return send('POST', `/v1/habits/${actor.habitId}/unarchive`, { token });
  },
  'logHabit 200': (actor, send) => sentTwice(actor, send, `/v1/habits/${actor.habitId}/logs`, LOG),
  'logHabit 402': async (actor, send) => {
    const habitId = await readOnlyHabit(actor, send);
    return send('POST', `/v1/habits/${habitId}/logs`, { token: actor.person.token, body: LOG });
  },
  'changeLog 402': async (actor, send) => {
    const { token } = actor.person;
    const habitId = await readOnlyHabit(actor, send);
    const { body } = await send('GET', `/v1/habits/${habitId}/logs`, { token });
    const [{ id } = { id: randomUUID() }] = body.logs as { id: string }[];
    return send('PATCH', `/v1/habits/${habitId}/logs/${id}`, { token, body: { occurredAt: LOG.occurredAt } });
  },
  'analyzeMyHabits 402': async (actor, send) => {
    await expire(actor);
    for (let left = 5; left > 0; left--) await send('POST', '/v1/habits/analyze', { token: actor.person.token });
    return send('POST', '/v1/habits/analyze', { token: actor.person.token });
  },
  'planMyHabits 402': async (actor, send) => {
    await expire(actor);
    return send('POST', '/v1/habits/plan', { token: actor.person.token });
  },
  'importHabits 200': (actor) => upload(actor, CSV),
  'importHabits 400': (actor) => upload(actor, 'no file of habits'),
  'importHabits 409': async (actor) => {
    const key = randomUUID();
    await upload(actor, CSV, key);
    return upload(actor, `${CSV}Read,2026-01-05,1,\n`, key);
  },
  'logHabits 413': ({ person: { token } }, send) =>
    send('POST', '/v1/habits/logs/batch', { token, body: { logs: 'x'.repeat(1_100_000) } }),
  'importHabits 413': (actor) => upload(actor, 'x'.repeat(10_485_761)),
  'deleteAccount 400': ({ person: { token } }, send) => send('DELETE', '/v1/account', { token, body: { password: 5 } }),
  'logout 401': (_, send) => send('POST', '/v1/auth/logout'),
};

for (const operation of ['analyzeMyHabits', 'listInsights', 'planMyHabits', 'recommendForMyHabits']) {
  SPECIAL[`${operation} 404`] = ({ person: { token } }, send) =>
    send('POST', PATHS_OF_ANALYSIS[operation]!, { token, body: { habitId: randomUUID() } });
}
const PATHS_OF_ANALYSIS: Record<string, string> = {
  analyzeMyHabits: '/v1/habits/analyze',
  listInsights: '/v1/habits/insights',
  planMyHabits: '/v1/habits/plan',
  recommendForMyHabits: '/v1/habits/recommend',
};

/** A body that the operation takes; undefined where it has none. */
export function goodBody(operationId: string, actor: Actor): unknown {
  return BODIES[operationId]?.(actor);
}

/** The answer that a document describes, from the running service. */
export async function provoke(answer: DocumentedAnswer, actor: Actor): Promise<Reply> {
  const { operation, status, method, path } = answer;
  const { operationId } = operation;
  const send: Send = (...request) => actor.accounts.ask(...request);
  const special = SPECIAL[`${operationId} ${status}`];
  if (special) return special(actor, send);
  const own = path.replace('{habitId}', actor.habitId).replace('{logId}', actor.logId);
  const token = status === 401 ? undefined : actor.person.token;
  const [verb, hasBody] = [method.toUpperCase(), operation.requestBody !== undefined];
  // Who is not signed in is told so before anything else is looked at.
  const body = status === 401 && hasBody ? [] : goodBody(operationId, actor);
  switch (status) {
    case 400:
      if (hasBody) return send(verb, own, { token, body: [] });
      return send(verb, QUERIES[operationId] ? own + QUERIES[operationId] : path.replace(/\{\w+\}/g, 'some'), {
        token,
      });
    case 404:
      return send(
        verb,
        path.replace(/\{\w+\}/g, () => randomUUID()),
        { token, body },
      );
    case 412:
      return send(verb, own, { token, body, headers: { 'if-match': '"as it was"' } });
    case 413:
      return send(verb, own, { token, body: { name: 'x'.repeat(140_000) } });
    case 415:
      return send(verb, own, { token, body: {}, headers: { 'content-type': 'text/plain' } });
    default:
      return send(verb, own, { token, body });
  }
}

/** Limits reach their end; of somebody who has a token already. */
export async function exhaust(answer: DocumentedAnswer, actor: Actor): Promise<Reply> {
  for (let asked = 0; ; asked++) {
    const reply = await provoke(answer, actor);
    if (reply.status === 429 || asked === 9) return reply;
  }
}

/** With one `clientId`; the second time with other content. */
async function sentTwice(
  { person: { token } }: Actor,
  send: Send,
  path: string,
  content: object,
  other: object = {},
): Promise<Reply> {
  const body = { ...content, clientId: randomUUID() };
  await send('POST', path, { token, body });
  return send('POST', path, { token, body: { ...body, ...other } });
}

/** A key that came with another body before. */
async function withUsedKey({ person: { token } }: Actor, send: Send, path: string, body: object): Promise<Reply> {
  const headers = { 'idempotency-key': randomUUID() };
  await send('POST', path, { token, headers, body });
  return send('POST', path, { token, headers, body: { ...body, clientId: randomUUID() } });
}

async function overTheCap(actor: Actor, send: Send): Promise<Reply> {
  await expire(actor);
  const create = () => send('POST', '/v1/habits', { token: actor.person.token, body: { name: 'One more' } });
  for (let left = 3; left > 0; left--) await create();
  return create();
}

/** Four habits, and no Premium any more: the oldest log decides which of them takes no more. */
async function readOnlyHabit(actor: Actor, send: Send): Promise<string> {
  const { token } = actor.person;
  for (const name of ['Second', 'Third', 'Fourth']) {
    const { body } = await send('POST', '/v1/habits', { token, body: { name } });
    actor.accounts.clock.advanceMs(1_000);
    await send('POST', `/v1/habits/${String(body.id)}/logs`, { token, body: LOG });
  }
  await expire(actor);
  return actor.habitId;
}

async function expire({ accounts, person }: Actor): Promise<void> {
  await accounts.grantPremium(person.id, new Date(accounts.clock.now().getTime() - 1_000));
}

function upload({ accounts, person }: Actor, text: string, key?: string): Promise<Reply> {
  return fileTransfer(() => accounts).upload(person, text, { key });
}
