import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as elapse } from 'node:timers/promises';
import { ManualClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { AppRegistry } from '@evenkeel/platform/observability';
import { API_VERSION } from '@evenkeel/stripe';
import { BillingConfig } from '../billing.config';
import { ProviderRefusal, ProviderUnavailable, StripeApi, WaitingTime } from './stripe-api';

const NOON = new Date('2026-01-31T12:00:00Z');
const COOL_DOWN_MS = 5_000;

type Answer = (response: ServerResponse) => void;

function answers(status: number, body: object = { id: 'cus_1', object: 'customer' }): Answer {
  const headers = { 'content-type': 'application/json', date: NOON.toUTCString() };
  return (response) => void response.writeHead(status, headers).end(JSON.stringify(body));
}
const breaks: Answer = (response) => void response.socket!.resetAndDestroy();

/** A stand-in for the provider: it records its requests, and answers as the test says. */
let server: Server;
let asked: IncomingMessage[];
let answer: Answer;
let clock: ManualClock;
let provider: StripeApi;
beforeEach(async () => {
  asked = [];
  answer = answers(200);
  server = createServer((request, response) => {
    asked.push(request);
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  clock = new ManualClock(NOON);
  const config = loadConfig(BillingConfig, {
    DATABASE_URL: 'postgres://localhost/none',
    STRIPE_SECRET_KEY: 'sk_test_provider',
    STRIPE_API_BASE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  provider = new StripeApi(config, clock, new AppRegistry());
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const make = (idempotencyKey?: string) =>
  provider.call((stripe) => stripe.customers.create({}, { ...(idempotencyKey && { idempotencyKey }) }));
const read = (waiting?: WaitingTime) => provider.call((stripe) => stripe.customers.retrieve('cus_1'), waiting);
const inParallel = (count: number, call: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, () => call().catch((error: unknown) => error)));
const headersOf = (name: string) => asked.map(({ headers }) => headers[name]);

it('names one version of the API, which is that of the schemas in the repository', async () => {
  await make();
  expect(headersOf('stripe-version')).toEqual([API_VERSION]);
});

it.each([
  ['breaks off', breaks],
  ['fails', answers(500, { error: { type: 'api_error', message: 'An unknown error occurred.' } })],
] as const)('asks three times with one key when the provider %s, and then says so', async (_, broken) => {
  answer = broken;
  await expect(make('of this request')).rejects.toThrow(ProviderUnavailable);
  expect(headersOf('idempotency-key')).toEqual(Array(3).fill('of this request'));
  // Without a key of ours it has one all the same.
  asked = [];
  await expect(make()).rejects.toThrow(ProviderUnavailable);
  const [key] = headersOf('idempotency-key');
  expect([headersOf('idempotency-key'), key]).toEqual([Array(3).fill(key), expect.stringMatching(/\S/)]);
});

it('is not asked any more after ten failed calls, but once in five seconds, until it answers', async () => {
  answer = breaks;
  await inParallel(10, () => read());
  asked = [];
  answer = answers(200);
  await expect(read()).rejects.toThrow(ProviderUnavailable);
  expect(asked).toEqual([]);
  clock.advanceMs(COOL_DOWN_MS);
  const said = await inParallel(3, () => read());
  expect(said.filter((one) => one instanceof ProviderUnavailable)).toHaveLength(2);
  expect(asked).toHaveLength(1);
  await expect(read()).resolves.toMatchObject({ result: { id: 'cus_1' } });
});

it('what it refuses is an answer: it is asked again', async () => {
  answer = answers(404, { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such' } });
  const said = await inParallel(12, () => read());
  expect(said.filter((one) => one instanceof ProviderRefusal && one.isMissing)).toHaveLength(12);
  expect([asked.length, provider.isCircuitOpen]).toEqual([12, false]);
});

it('all calls of a request wait as long as one alone, and one that had little time blames nobody', async () => {
  // Each would be in time by itself.
  answer = (response) => void elapse(2_500).then(() => answers(200)(response));
  const said = await inParallel(10, async () => {
    const waiting = new WaitingTime();
    await read(waiting);
    return read(waiting);
  });
  expect(said.every((one) => one instanceof ProviderUnavailable)).toBe(true);
  expect([asked.length, provider.isCircuitOpen]).toEqual([20, false]);
  const over = new WaitingTime();
  await elapse(4_600);
  asked = [];
  await expect(read(over)).rejects.toThrow(ProviderUnavailable);
  expect(asked).toEqual([]);
});
