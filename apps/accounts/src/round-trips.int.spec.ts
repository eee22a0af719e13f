import { randomUUID } from 'node:crypto';
import { eventually, RoundTrips } from '@evenkeel/platform/testing';
import type { AskOptions } from '@evenkeel/platform/testing/service';
import { Accounts, type Person } from './accounts.fixture';

/** With a database that answers 500 ms late a request is answered within the five seconds that are promised. */
const MOST = 6;
/**
 * Where the person waits for something else too: for a hash of the password, for the engine. A wrong password is counted once it is known
 * to be wrong, and what becomes of the count is written down.
 */
const FEWER: Readonly<Record<string, number>> = {
  'POST /v1/auth/login 200': 2,
  'POST /v1/auth/login 401': 3,
  'POST /v1/habits/analyze 200': 5,
};

let accounts: Accounts;
let trips: RoundTrips;
beforeAll(async () => {
  trips = new RoundTrips();
  accounts = await Accounts.start();
});
afterAll(async () => {
  await accounts.close();
  trips.close();
});

/** Sends a request that must succeed within the bound. @returns the body of its answer */
async function send(call: string, status: number, options: AskOptions = {}): Promise<Record<string, string>> {
  const [method, path] = call.split(' ') as [string, string];
  let body = {};
  const count = await trips.of(async () => {
    const reply = await accounts.ask(method, path, options);
    expect([call, reply.status, reply.text]).toEqual([call, status, reply.text]);
    ({ body } = reply);
  });
  const most = FEWER[`${call} ${status}`] ?? MOST;
  expect([call, status, Math.max(count, most)]).toEqual([call, status, most]);
  return body;
}

const as =
  ({ token }: Person) =>
  (call: string, status: number, body?: unknown, headers = {}) =>
    send(call, status, { token, body, headers });
const aKey = () => ({ 'idempotency-key': randomUUID() });

/** The token of a mail. */
const mailed = (to: string, kind: 'hrv_' | 'hrp_') =>
  eventually(async () => {
    const { body } = await accounts.ask('GET', '/dev/mails');
    const mails = body.mails as { to: string; text: string }[];
    const { text } = mails.find((mail) => mail.to === to && mail.text.includes(kind))!;
    return text.slice(text.indexOf(kind)).split(/\s/, 1)[0]!;
  });

describe(`a request waits for at most ${MOST} answers of the database`, () => {
  it('of sign-in and sessions', async () => {
    const person = await accounts.person();
    const { email, password } = person;
    const ask = as(person);
    const newcomer = { email: `other-${email}`, password };
    await send('POST /v1/auth/register', 201, { body: newcomer });
    await send('POST /v1/auth/register', 409, { body: newcomer });
    await send('POST /v1/auth/login', 401, { body: { email, password: 'wrong password' } });
    const { refreshToken } = await send('POST /v1/auth/login', 200, { body: { email, password } });
    await send('POST /v1/auth/refresh', 200, { body: { refreshToken } });
    await send('POST /v1/auth/refresh', 200, { body: { refreshToken } });
    await ask('POST /v1/auth/token/rotate', 200);
    await ask('GET /v1/auth/me', 200);
    await ask('PATCH /v1/auth/me', 200, { displayName: 'Ana' });
    await ask('GET /v1/auth/sessions', 200);
    await ask('DELETE /v1/auth/sessions?except=current', 204);
    await send('POST /v1/auth/login', 200, { body: { email, password } });
    const changed = { currentPassword: password, newPassword: 'eight quiet otters' };
    await ask('POST /v1/auth/password/change', 204, changed);
    await ask('POST /v1/auth/logout', 204);
  });

  it('of somebody whose oldest session has to end', async () => {
    const { email, password, token } = await accounts.person();
    const body = { email, password };
    accounts.clock.advanceMs(1_000);
    for (let count = 1; count < 20; count++) await accounts.ask('POST', '/v1/auth/login', { body });
    expect((await accounts.ask('GET', '/v1/auth/me', { token })).status).toBe(200);
    await send('POST /v1/auth/login', 200, { body });
    expect((await accounts.ask('GET', '/v1/auth/me', { token })).status).toBe(401);
  });

  it('of mails', async () => {
    const person = await accounts.person();
    const { email, password } = person;
    const newEmail = `new-${email}`;
    const ask = as(person);
    await ask('POST /v1/auth/email/resend', 202);
    await send('POST /v1/auth/email/verify', 200, { body: { token: await mailed(email, 'hrv_') } });
    await ask('POST /v1/auth/email/change', 202, { email: newEmail, password });
    await send('POST /v1/auth/email/verify', 200, { body: { token: await mailed(newEmail, 'hrv_') } });
    await send('POST /v1/auth/password/forgot', 202, { body: { email: newEmail } });
    const token = await mailed(newEmail, 'hrp_');
    await send('POST /v1/auth/password/reset', 204, { body: { token, password: 'eight quiet otters' } });
  });

  it('of habits and logs', async () => {
    const ask = as(await accounts.person());
    await ask('POST /v1/habits', 201, { name: 'Run' }, aKey());
    const { id } = await ask('POST /v1/habits', 201, { name: 'Swim' });
    const habit = `/v1/habits/${id}`;
    await ask('GET /v1/habits', 200);
    await ask(`GET ${habit}`, 200);
    await ask(`PATCH ${habit}`, 200, { name: 'Walk' });
    await ask(`POST ${habit}/archive`, 200);
    await ask(`POST ${habit}/unarchive`, 200);
    const log = { occurredAt: '2026-01-31T07:00:00Z', status: 'COMPLETED', moodScore: 7 };
    const { id: logId } = await ask(`POST ${habit}/logs`, 201, log, aKey());
    const named = { ...log, clientId: randomUUID() };
    await ask(`POST ${habit}/logs`, 201, named);
    await ask(`POST ${habit}/logs`, 200, named, aKey());
    const past = { habitId: id, ...log, occurredAt: '2025-01-31T07:00:00Z' };
    await ask('POST /v1/habits/logs/batch', 200, { logs: [past] }, aKey());
    await ask(`GET ${habit}/logs`, 200);
    await ask(`PATCH ${habit}/logs/${logId}`, 200, { occurredAt: '2026-01-30T07:00:00Z' });
    // Packs the year before.
    await ask('GET /v1/habits', 200);
    await ask('GET /v1/habits/changes', 200);
    await ask(`DELETE ${habit}/logs/${logId}`, 204);
    await ask(`DELETE ${habit}`, 204);
  });

  it('of analyses', async () => {
    const person = await accounts.person();
    const ask = as(person);
    const { id } = await ask('POST /v1/habits', 201, { name: 'Run' });
    const log = { occurredAt: '2026-01-31T07:00:00Z', status: 'COMPLETED', moodScore: 7 };
    await ask(`POST /v1/habits/${id}/logs`, 201, log);
    await ask(`GET /v1/habits/${id}/stats`, 200);
    for (const tier of ['FREE', 'PREMIUM']) {
      if (tier === 'PREMIUM') await accounts.grantPremium(person.id);
      await ask('POST /v1/habits/insights', 200);
      expect(await ask('POST /v1/habits/analyze', 200)).toMatchObject({ tier });
      await ask('POST /v1/habits/insights', 200);
      await ask('POST /v1/habits/recommend', 200);
    }
    await ask('POST /v1/habits/plan', 200);
  });

  it('of the account', async () => {
    const person = await accounts.person();
    const { email, password } = person;
    await send('POST /v1/auth/login', 401, { body: { email, password: 'wrong password' } });
    await as(person)('DELETE /v1/account', 202, { password });
    await as(await accounts.person())('DELETE /v1/account', 202);
  });
});
