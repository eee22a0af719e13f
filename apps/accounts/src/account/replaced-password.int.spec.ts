import { randomBytes } from 'node:crypto';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { newEs256Key } from '@evenkeel/platform/config';
import type { Reply } from '@evenkeel/platform/testing/service';
import { Accounts, type Person } from '../accounts.fixture';
import { HabitsOf } from '../habits/habits.fixture';

jest.setTimeout(300_000);

/** Two processes of one service: the statements of the second can be held. */
let accounts: Accounts;
let slow: Accounts;
let line: DatabaseLine;
beforeAll(async () => {
  const REFRESH_TOKEN_KEYS = `both:${randomBytes(32).toString('base64')}`;
  const keys = { JWT_KEYS: newEs256Key('both'), REFRESH_TOKEN_KEYS };
  accounts = await Accounts.start(keys);
  line = await DatabaseLine.to(accounts.database.url);
  slow = await Accounts.start({ ...keys, DATABASE_URL: line.url });
});
afterAll(async () => {
  await slow.close();
  line.cut();
  await accounts.close();
});

const NEXT = 'eight quiet otters';

/** Somebody with a habit and a log, and what a thief has: the password as it is, and a session. */
interface Robbed extends Person {
  stolen: string;
  habitId: string;
  logId: string;
}

async function robbed(): Promise<Robbed> {
  const person = await accounts.person();
  const { token: stolen } = await accounts.signIn(person);
  const of = new HabitsOf(accounts, person);
  const { id: habitId } = await of.habit();
  return { ...person, stolen, habitId, logId: String((await of.log(habitId)).body.id) };
}

type Route = (thief: Robbed) => Promise<Reply>;
const asThief = (method: string, path: string, { stolen: token }: Robbed, body?: object) =>
  slow.ask(method, `/v1${path}`, { token, body });

/** Changes that are final. */
const ROUTES: readonly [string, Route][] = [
  ['the account is deleted by password', (one) => asThief('DELETE', '/account', one, { password: one.password })],
  ['the account is deleted by a fresh session', (one) => asThief('DELETE', '/account', one)],
  [
    'the address is moved',
    (one) => {
      const email = `thief-of-${one.id}@example.com`;
      return asThief('POST', '/auth/email/change', one, { password: one.password, email });
    },
  ],
  [
    'the password is changed',
    (one) => {
      const body = { currentPassword: one.password, newPassword: 'of the thief' };
      return asThief('POST', '/auth/password/change', one, body);
    },
  ],
  ['a session is begun', ({ email, password }) => slow.ask('POST', '/v1/auth/login', { body: { email, password } })],
  ['the other sessions are ended', (one) => asThief('DELETE', '/auth/sessions', one)],
  ['a habit is deleted', (one) => asThief('DELETE', `/habits/${one.habitId}`, one)],
  ['a log is deleted', (one) => asThief('DELETE', `/habits/${one.habitId}/logs/${one.logId}`, one)],
];

/** Each of these routes begins what it changes with one of them. */
const LOCKS = ['FOR NO KEY UPDATE', 'UPDATE users SET change_number'] as const;

/** Statements of these routes, in the order in which they come; each has some of them. */
const OFFSETS = [
  'live-sessions',
  'FROM login_failures',
  ...LOCKS,
  'SELECT 1 FROM "sessions"',
  'LIMIT 1 FOR UPDATE',
  'INSERT INTO "mail_tokens"',
  'UPDATE "users" SET "password_hash"',
  'INSERT INTO deletions',
] as const;

/** Prepared before the route begins, as far as it takes time. */
type Change = (owner: Robbed) => Promise<() => Promise<Reply>>;
const changePassword: Change = async ({ token, password }) => {
  const body = { currentPassword: password, newPassword: NEXT };
  return () => accounts.ask('POST', '/v1/auth/password/change', { token, body });
};
const endOthers: Change = async ({ token }) => {
  return () => accounts.ask('DELETE', '/v1/auth/sessions', { token });
};
const resetByMail: Change = async ({ email }) => {
  const token = await accounts.resetToken(email);
  return () => accounts.ask('POST', '/v1/auth/password/reset', { body: { token, password: NEXT } });
};

const WAITS = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/**
 * A route of the thief is held at a statement while the owner makes a change.
 * @returns null when the route has no such statement
 */
async function held(route: Route, offset: string, change: Change) {
  const person = await robbed();
  const makeChange = await change(person);
  const came = line.hold(offset);
  const stealing = route(person);
  const goOn = await Promise.race([came, stealing.then(() => null)]);
  line.holdNone();
  if (!goOn) return null;
  const changing = makeChange();
  let isAnswered = false;
  void changing.then(() => (isAnswered = true));
  // Answered, or behind the lock that the route has already: then the route is the first of the two.
  await eventually(async () => isAnswered || (await accounts.sql(WAITS)).length > 0);
  const changedFirst = isAnswered;
  goOn();
  return { person, changedFirst, stolen: (await stealing).status, changed: (await changing).status };
}

describe.each(ROUTES)('%s', (name, route) => {
  it('not with a password that was replaced, and not in a session that has ended, wherever the change comes in between', async () => {
    const found: string[] = [];
    for (const offset of OFFSETS) {
      const outcome = await held(route, offset, changePassword);
      if (!outcome) continue;
      found.push(offset);
      const { person, changedFirst, stolen, changed } = outcome;
      if (!changedFirst) continue;
      expect({ name, offset, changed, stolen }).toEqual({ name, offset, changed: 204, stolen: 401 });
      const { email, token, habitId } = person;
      expect(await accounts.statusOf((await accounts.signIn({ email, password: NEXT })).token)).toBe(200);
      const { body } = await accounts.ask('GET', `/v1/habits/${habitId}/logs`, { token });
      expect([offset, body['logs']]).toEqual([offset, [expect.anything()]]);
    }
    // The guard that admits the request, and the lock behind it.
    expect(found.length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['sessions are ended from another one', endOthers],
    ['the password is set by mail', resetByMail],
  ])('not once %s', async (how, change) => {
    if (name === 'a session is begun' && change === endOthers) return;
    for (const lock of LOCKS) {
      const outcome = await held(route, lock, change);
      if (!outcome) continue;
      expect({ how, name, ...outcome }).toMatchObject({ how, name, changedFirst: true, changed: 204, stolen: 401 });
      return;
    }
    throw new Error('this route locks nobody');
  });
});

it('the account is not deleted by a password that was replaced in the same session', async () => {
  const inSameSession: Route = ({ token, password }) =>
    slow.ask('DELETE', '/v1/account', { token, body: { password } });
  const outcome = await held(inSameSession, 'FOR NO KEY UPDATE', changePassword);
  expect(outcome).toMatchObject({ changedFirst: true, changed: 204, stolen: 401 });
  const { token } = await accounts.signIn({ email: outcome!.person.email, password: NEXT });
  expect(await accounts.statusOf(token)).toBe(200);
});
