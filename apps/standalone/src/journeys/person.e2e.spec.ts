import { randomUUID } from 'node:crypto';
import { eventually } from '@evenkeel/platform/testing';
import { ask, type Reply } from '@evenkeel/platform/testing/service';
import { findSurroundings, type Surroundings } from './surroundings.fixture';

jest.setTimeout(120_000);

const PATIENT = { withinMs: 60_000 };
const FREE_ANALYSES = 5;
const person = { email: `journey-${randomUUID()}@example.com`, password: 'a long walk by the sea' };

let product: Surroundings & { close(): Promise<void> };
let token: string;
beforeAll(async () => {
  product = await findSurroundings();
}, 180_000);
afterAll(() => product?.close(), 60_000);

/** As the person, once signed in. */
function send(method: string, path: string, body?: object): Promise<Reply> {
  return ask(`${product.url}/v1/${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const tier = async () => (await send('GET', 'auth/me')).body['tier'];

it('registers, keeps a habit, and logs what was done', async () => {
  const registered = await send('POST', 'auth/register', person);
  expect(registered.status).toBe(201);
  token = registered.body['accessToken'] as string;
  const habit = await send('POST', 'habits', { name: 'Morning run' });
  expect(habit.status).toBe(201);
  const log = { status: 'COMPLETED', occurredAt: new Date(Date.now() - 60_000).toISOString(), clientId: randomUUID() };
  const path = `habits/${habit.body['id'] as string}/logs`;
  const logged = await send('POST', path, log);
  const repeated = await send('POST', path, log);
  expect([logged.status, repeated.body['id']]).toEqual([201, logged.body['id']]);
});

it('asks what it means until the free analyses of the month are used up', async () => {
  for (let times = 0; times < FREE_ANALYSES; times++) expect((await send('POST', 'habits/analyze')).status).toBe(200);
  const refused = await send('POST', 'habits/analyze');
  expect([refused.status, refused.body.error]).toEqual([402, 'quota_exceeded']);
});

it('upgrades on the hosted page, and asks on without a quota', async () => {
  const opened = await send('POST', 'billing/checkout', { plan: 'premium_monthly' });
  const page = opened.body['checkout_url'] as string;
  expect([opened.status, new URL(page).origin]).toEqual([201, product.stripeUrl]);
  const paid = await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'good' }), redirect: 'manual' });
  expect(paid.status).toBe(303);
  await eventually(async () => expect(await tier()).toBe('PREMIUM'), PATIENT);
  expect((await send('POST', 'habits/analyze')).status).toBe(200);
  expect((await send('GET', 'billing/me')).body).toMatchObject({ tier: 'PREMIUM' });
});

it('cancels, and has what is paid for until its end', async () => {
  const cancelled = await send('POST', 'billing/cancel');
  expect([cancelled.status, cancelled.body]).toEqual([
    200,
    expect.objectContaining({ tier: 'PREMIUM', subscription: expect.objectContaining({ cancel_at_period_end: true }) }),
  ]);
});

it('takes everything along and leaves: neither the token nor the password is any good then', async () => {
  const taken = await send('GET', 'account/export');
  expect([taken.status, taken.text]).toEqual([200, expect.stringContaining('Morning run')]);
  expect((await send('DELETE', 'account', { password: person.password })).status).toBe(202);
  await eventually(async () => expect((await send('GET', 'auth/me')).status).toBe(401), PATIENT);
  await eventually(async () => expect((await send('GET', 'billing/me')).status).toBe(401), PATIENT);
  token = '';
  const login = await send('POST', 'auth/login', person);
  expect([login.status, login.body.error]).toEqual([401, 'invalid_credentials']);
});
