import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ManualClock } from '@evenkeel/kernel';
import type { Environment } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { noon } from '../payments/payment.fixture';
import type { Facilitator } from './facilitator';
import { connect, REQUEST, StubFacilitator, VERSION_TWO } from './stub-facilitator.fixture';

let stub: StubFacilitator;
let url: string;
let clock: ManualClock;
let facilitator: Facilitator;
const connections: Facilitator[] = [];
beforeAll(() => void Logger.overrideLogger(false));
beforeEach(async () => {
  stub = new StubFacilitator();
  url = await stub.start();
  clock = new ManualClock(noon);
  facilitator = connected();
});
afterEach(async () => {
  await Promise.all(connections.splice(0).map((one) => one.onApplicationShutdown()));
  await stub.close();
});

function connected(settings: Environment = {}): Facilitator {
  connections.push(connect(`${url}/x402/`, clock, settings));
  return connections.at(-1)!;
}

const verify = (by = facilitator) => by.verify(REQUEST, '192.0.2.1');
const paths = () => stub.heard.map(({ path }) => path);
const silent = { kind: 'silent', reason: null };

describe('a call', () => {
  it('goes to the address of the setting, as JSON, with the same bytes at verify and at settle', async () => {
    stub.answers(200, { isValid: true, success: true, transaction: '' });
    expect(await verify()).toEqual({ kind: 'valid' });
    expect(await facilitator.settle(REQUEST)).toEqual({ kind: 'settled', transactionHash: null });
    await facilitator.settle(REQUEST);
    expect(paths()).toEqual(['/x402/verify', '/x402/settle', '/x402/settle']);
    expect(new Set(stub.heard.map(({ body }) => body)).size).toBe(1);
    expect(stub.heard[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(stub.heard[0]?.headers).not.toHaveProperty('authorization');
  });

  it('follows no redirect', async () => {
    stub.behave = ({ path }, response) => {
      const elsewhere = !path.endsWith('/moved');
      response.writeHead(elsewhere ? 307 : 200, elsewhere ? { location: '/moved' } : {});
      response.end(elsewhere ? '' : JSON.stringify({ isValid: true, success: true }));
    };
    expect(await verify()).toMatchObject({ kind: 'unavailable' });
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).not.toContain('/moved');
  });

  it.each([
    ['just fits', 64 * 1024, { kind: 'valid' }, 'settled'],
    ['is longer than 64 KB', 64 * 1024 + 1, { kind: 'unavailable' }, 'silent'],
  ])('takes an answer that %s', async (_, bytes, verdict, outcome) => {
    const answer = JSON.stringify({ isValid: true, success: true, transaction: '' });
    stub.behave = (_request, response) => void response.end(answer.padEnd(bytes));
    expect(await verify()).toMatchObject(verdict);
    expect((await facilitator.settle(REQUEST)).kind).toBe(outcome);
    expect(paths()).toHaveLength(2);
  });

  it('carries a bearer token of its own when there is a key', async () => {
    const seed = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d!;
    const keyed = connected({
      FACILITATOR_CDP_KEY_ID: 'key-1',
      FACILITATOR_CDP_KEY_SECRET: Buffer.from(seed, 'base64url').toString('base64'),
    });
    await keyed.verify(REQUEST, null);
    await keyed.settle(REQUEST);
    const uris = stub.heard.map(({ headers }) => {
      const claims = Buffer.from(headers.authorization!.split('.')[1]!, 'base64url').toString();
      return (JSON.parse(claims) as { uris: string[] }).uris[0];
    });
    const { host } = new URL(url);
    expect(uris).toEqual([`POST ${host}/x402/verify`, `POST ${host}/x402/settle`]);
  });

  it('writes a reason that is no code to the log, cut, and shows it to no caller', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    stub.answers(200, { isValid: false, invalidReason: `Reverted:\n${'x'.repeat(400)}` });
    expect(await verify()).toEqual({ kind: 'invalid', reason: null });
    expect(warn).toHaveBeenCalledWith(`verify: Reverted:\n${'x'.repeat(290)}`);
    warn.mockRestore();
  });
});

describe('a connection that breaks', () => {
  const breakOff = (response: { socket: { resetAndDestroy(): unknown } | null }) =>
    void response.socket?.resetAndDestroy();

  it('before an answer began: verify tries once more, settle never', async () => {
    stub.behave = (_request, response) => breakOff(response);
    expect(await verify()).toMatchObject({ kind: 'unavailable' });
    expect(paths()).toHaveLength(2);
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).toHaveLength(3);
  });

  it('in the middle of an answer: nothing is tried again', async () => {
    stub.behave = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"isValid": true', () => breakOff(response));
    };
    expect(await verify()).toMatchObject({ kind: 'unavailable' });
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).toHaveLength(2);
  });

  it('and comes back within the time: one limit holds for both attempts', async () => {
    stub.behave = (_request, response) => {
      if (stub.heard.length === 1) setTimeout(() => breakOff(response), 1_000);
    };
    const hurried = connected({ FACILITATOR_VERIFY_TIMEOUT_MS: '2000' });
    const begun = performance.now();
    expect(await verify(hurried)).toMatchObject({ kind: 'unavailable' });
    const tookMs = performance.now() - begun;
    expect(paths()).toHaveLength(2);
    expect(tookMs).toBeGreaterThan(1_900);
    expect(tookMs).toBeLessThan(2_900);
  });
});

describe('no answer', () => {
  function drip(response: ServerResponse): void {
    const drops = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(drops));
  }

  it.each([
    ['at all', () => undefined],
    ['but blanks', (_request: unknown, response: ServerResponse) => drip(response)],
  ])('%s: the time is up for either call', async (_, behave) => {
    stub.behave = behave;
    const hurried = connected({ FACILITATOR_VERIFY_TIMEOUT_MS: '1000', FACILITATOR_SETTLE_TIMEOUT_MS: '1000' });
    expect(await verify(hurried)).toMatchObject({ kind: 'unavailable' });
    expect(await hurried.settle(REQUEST)).toEqual(silent);
    expect(paths()).toHaveLength(2);
  });

  it.each([-3_600_000, 3_600_000])(
    'keeps the circuit open for as long, though the clock is set by %i ms',
    async (ms) => {
      stub.answers(503, {});
      for (let i = 0; i < 10; i++) await verify();
      clock.set(new Date(noon.getTime() + ms));
      expect(await verify()).toMatchObject({ cause: 'circuit open' });
      clock.advanceMs(5_000);
      stub.answers(200, { isValid: true });
      expect(await verify()).toEqual({ kind: 'valid' });
    },
  );
});

describe('the version spoken', () => {
  it.each<[string, number, unknown, 1 | 2]>([
    ['lists version 2 for our chain', 200, VERSION_TWO, 2],
    ['lists version 2 for another chain', 200, { kinds: [{ ...VERSION_TWO.kinds[0], network: 'eip155:1' }] }, 1],
    ['lists another scheme', 200, { kinds: [{ ...VERSION_TWO.kinds[0], scheme: 'upto' }] }, 1],
    ['lists oddities', 200, { kinds: [null, 7, 'x', {}] }, 1],
    ['is no object', 200, null, 1],
  ])('is the one that /supported %s', async (_, status, body, version) => {
    stub.answers(status, body);
    await facilitator.onModuleInit();
    expect([facilitator.requirementsVersion(), paths()]).toEqual([version, ['/x402/supported']]);
  });

  it.each<[string, (stub: StubFacilitator) => void]>([
    ['400', (it) => it.answers(400, { isValid: false, invalidReason: 'invalid_x402_version' })],
    ['404', (it) => it.answers(404, {})],
    ['no JSON', (it) => void (it.behave = (_request, response) => void response.end('<html>'))],
  ])('is asked for again after a call that gave %s, at most once a minute', async (_, give) => {
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    give(stub);
    await verify();
    expect(paths()).toEqual(['/x402/supported', '/x402/verify']);
    clock.advanceMs(60_000);
    await verify();
    await facilitator.settle(REQUEST);
    await eventually(() => expect(paths().filter((path) => path === '/x402/supported')).toHaveLength(2));
  });

  it.each<[string, (stub: StubFacilitator) => void]>([
    ['an error', (it) => it.answers(500, {})],
    ['a page', (it) => void (it.behave = (_request, response) => void response.end('<html>'))],
    ['nothing', (it) => void (it.behave = (_request, response) => void response.socket?.destroy())],
  ])('stays for a day when /supported answers %s', async (_, give) => {
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    give(stub);
    await facilitator.onModuleInit();
    expect(facilitator.requirementsVersion()).toBe(2);
    clock.advanceMs(24 * 3_600_000 - 1);
    await facilitator.onModuleInit();
    expect(facilitator.requirementsVersion()).toBe(2);
    clock.advanceMs(1);
    await facilitator.onModuleInit();
    expect(facilitator.requirementsVersion()).toBe(1);
  });
});

describe('whether it answers', () => {
  it('is known from the last call, and asked for where none was made for ten seconds', async () => {
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    expect(facilitator.isAnswering()).toBe(true);

    stub.answers(503, {});
    await verify();
    expect(facilitator.isAnswering()).toBe(false);
    stub.answers(400, { isValid: false, invalidReason: 'invalid_payload' });
    await verify();
    expect(facilitator.isAnswering()).toBe(true);

    stub.answers(500, {});
    clock.advanceMs(10_000);
    facilitator.isAnswering();
    await eventually(() => expect(facilitator.isAnswering()).toBe(false));
    expect(paths().filter((path) => path === '/x402/supported')).toHaveLength(2);
  });
});
