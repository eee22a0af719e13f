import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@evenkeel/kernel';
import { es256KeysOf, newEs256Key } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { RemoteAccessKeys } from './remote-access-keys';

const setOf = (...kids: string[]) => ({ keys: es256KeysOf(kids.map(newEs256Key).join(',')).published });
const unavailable = expect.objectContaining({ code: 'service_unavailable' }) as object;

/** Publishes what a test says, and counts how often it is asked. */
let server: Server;
let asked: number;
let answer: (response: ServerResponse) => unknown;
const publishes = (keys: object) => (answer = (response) => response.end(JSON.stringify(keys)));
let clock: ManualClock;
let keys: RemoteAccessKeys;
beforeEach(async () => {
  Logger.overrideLogger(false);
  asked = 0;
  server = createServer((_request, response) => {
    asked++;
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  keys = new RemoteAccessKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, clock, 3_000);
});
afterEach(async () => {
  await keys.onApplicationShutdown();
  server.closeAllConnections();
  server.close();
});

it('asks once for many requests, and stores the answer', async () => {
  publishes(setOf('one'));
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.keyOf('one')));
  expect(found.map((key) => key?.type)).toEqual(Array(20).fill('public'));
  expect((await keys.keyOf('one'))?.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(asked).toBe(1);
});

it('asks again for a key it does not know, at most every 30 seconds', async () => {
  publishes(setOf('one'));
  await keys.keyOf('one');
  clock.advanceMs(29_999);
  for (const kid of ['two', 'three', 'two']) expect(await keys.keyOf(kid)).toBeNull();
  expect(asked).toBe(1);
  publishes(setOf('one', 'two'));
  clock.advanceMs(1);
  expect(await keys.keyOf('two')).not.toBeNull();
  for (const kid of ['three', 'four']) expect(await keys.keyOf(kid)).toBeNull();
  expect(asked).toBe(2);
});

it('forgets within minutes a key that is no longer published, and nobody waits for that', async () => {
  publishes(setOf('old', 'new'));
  await keys.keyOf('old');
  publishes(setOf('new'));
  clock.advanceMs(300_000);
  expect(await keys.keyOf('old')).not.toBeNull();
  await eventually(async () => expect(await keys.keyOf('old')).toBeNull());
  expect(asked).toBe(2);
});

const KINDS_OF_NO_ANSWER: [string, (response: ServerResponse) => unknown][] = [
  ['an error', (response) => response.writeHead(500).end('{}')],
  ['no JSON', (response) => response.end('<html>')],
  ['keys of another kind', (response) => response.end('{"keys":[{"kty":"RSA","kid":"one"},null,7]}')],
  ['a wrong point', (response) => response.end('{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"one"}]}')],
  ['too much', (response) => response.end(JSON.stringify({ ...setOf('one'), more: 'x'.repeat(70_000) }))],
  ['silence', () => undefined],
  ['a cut connection', (response) => response.destroy()],
];

it.each(KINDS_OF_NO_ANSWER)('is unavailable after %s alone, and keeps the last good answer', async (_, bad) => {
  answer = bad;
  await expect(keys.keyOf('one')).rejects.toEqual(unavailable);
  await expect(keys.keyOf('one')).rejects.toEqual(unavailable);
  expect(asked).toBe(1);
  publishes(setOf('one'));
  clock.advanceMs(1_000);
  expect(await keys.keyOf('one')).not.toBeNull();
  answer = bad;
  clock.advanceMs(3_600_000);
  expect(await keys.keyOf('two')).toBeNull();
  expect(await keys.keyOf('one')).not.toBeNull();
  expect(asked).toBe(3);
});
