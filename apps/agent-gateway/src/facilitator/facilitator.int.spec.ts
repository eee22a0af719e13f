import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ManualClock } from '@evenkeel/kernel';
import type { Environment } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { noon, terms } from '../payments/payment.fixture';
import type { Facilitator } from './facilitator';
import { connect, REQUEST, StubFacilitator, VERSION_TWO } from './stub-facilitator.fixture';

const DAY_MS = 24 * 3_600_000;

let stub: StubFacilitator;
let url: string;
let clock: ManualClock;
let registry: Registry;
let facilitator: Facilitator;
let error: jest.SpyInstance;
let warn: jest.SpyInstance;
const connections: Facilitator[] = [];
beforeEach(async () => {
  error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  stub = new StubFacilitator();
  url = await stub.start();
  clock = new ManualClock(noon);
  registry = new Registry();
  facilitator = connected();
});
afterEach(async () => {
  await Promise.all(connections.splice(0).map((one) => one.onApplicationShutdown()));
  await stub.close();
  jest.restoreAllMocks();
});

function connected(settings: Environment = {}): Facilitator {
  const one = connect(`${url}/x402/`, clock, settings, connections.length === 0 ? registry : new Registry());
  connections.push(one);
  return one;
}

const verify = (by = facilitator) => by.verify(REQUEST, '192.0.2.1');
const paths = () => stub.heard.map(({ path }) => path);
const silent = { kind: 'silent', reason: null };
const UNAVAILABLE = { kind: 'unavailable' };
const text = (status: number, body: string) => () =>
  void (stub.behave = (_request, response) => void response.writeHead(status).end(body));
const json = (status: number, body: unknown) => () => stub.answers(status, body);
const page = text(200, '<html>');

describe('a call', () => {
  it('goes to the address of the setting, as JSON, with the same bytes at verify and at settle', async () => {
    stub.answers(200, { isValid: true, success: true, transaction: '' });
    expect(await verify()).toEqual({ kind: 'valid' });
    for (let times = 0; times < 2; times++) {
      expect(await facilitator.settle(REQUEST)).toEqual({ kind: 'settled', transactionHash: null });
    }
    expect(paths()).toEqual(['/x402/verify', '/x402/settle', '/x402/settle']);
    expect(new Set(stub.heard.map(({ body }) => body)).size).toBe(1);
    expect(stub.heard[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(stub.heard[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([{ payer: terms.payTo }, { network: 'eip155:1' }])('that succeeds for %j is no success', async (of) => {
    stub.answers(200, { success: true, transaction: '', ...of });
    expect(await facilitator.settle(REQUEST)).toEqual({ kind: 'contradictory', reason: null });
  });

  it('follows no redirect', async () => {
    stub.behave = (_, response) => void response.writeHead(307, { location: '/moved' }).end();
    expect(await verify()).toMatchObject(UNAVAILABLE);
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).not.toContain('/moved');
  });

  it.each([
    [64 * 1024, 'valid', 'settled'],
    [64 * 1024 + 1, 'unavailable', 'silent'],
  ])('takes an answer of at most 64 KB: %i bytes', async (bytes, verdict, outcome) => {
    text(200, JSON.stringify({ isValid: true, success: true, transaction: '' }).padEnd(bytes))();
    expect([(await verify()).kind, (await facilitator.settle(REQUEST)).kind]).toEqual([verdict, outcome]);
  });

  it('carries a bearer token of its own when there is a key', async () => {
    const seed = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d!;
    const secret = Buffer.from(seed, 'base64url').toString('base64');
    await verify(connected({ FACILITATOR_CDP_KEY_ID: 'key-1', FACILITATOR_CDP_KEY_SECRET: secret }));
    const claims = Buffer.from(stub.heard[0]!.headers.authorization!.split('.')[1]!, 'base64url').toString();
    expect(JSON.parse(claims)).toMatchObject({ uris: [`POST ${new URL(url).host}/x402/verify`] });
  });

  it('writes a reason that is no code to the log, cut, and shows it to no caller', async () => {
    stub.answers(200, { isValid: false, invalidReason: `Reverted:\n${'x'.repeat(400)}` });
    expect(await verify()).toEqual({ kind: 'invalid', reason: null });
    expect(warn).toHaveBeenCalledWith(`verify: Reverted:\n${'x'.repeat(290)}`);
  });
});

describe('a connection that breaks', () => {
  const breakOff = (response: ServerResponse) => void response.socket?.resetAndDestroy();

  it('before an answer began: verify tries once more, settle never', async () => {
    stub.behave = (_request, response) => breakOff(response);
    expect(await verify()).toMatchObject(UNAVAILABLE);
    expect(paths()).toHaveLength(2);
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).toHaveLength(3);
  });

  it('in the middle of an answer: nothing is tried again', async () => {
    stub.behave = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"isValid": true', () => breakOff(response));
    };
    expect(await verify()).toMatchObject(UNAVAILABLE);
    expect(await facilitator.settle(REQUEST)).toEqual(silent);
    expect(paths()).toHaveLength(2);
  });
});

it.each<[string, (response: ServerResponse) => void]>([
  ['at all', () => undefined],
  ['but blanks', (response) => void setInterval(() => response.write(' '), 20).unref()],
])('no answer %s: the time is up for either call', async (_, behave) => {
  stub.behave = (_request, response) => behave(response);
  const hurried = connected({ FACILITATOR_VERIFY_TIMEOUT_MS: '1000', FACILITATOR_SETTLE_TIMEOUT_MS: '1000' });
  expect(await verify(hurried)).toMatchObject(UNAVAILABLE);
  expect(await hurried.settle(REQUEST)).toEqual(silent);
  expect(paths()).toHaveLength(2);
});

describe('the version spoken', () => {
  const listing = (over: object) => ({ kinds: [null, 7, 'x', {}, { ...VERSION_TWO.kinds[0], ...over }] });
  it.each<[string, unknown, 1 | 2]>([
    ['lists version 2 for our chain', listing({}), 2],
    ['lists version 2 for another chain', listing({ network: 'eip155:1' }), 1],
    ['is no object', null, 1],
  ])('is the one that /supported %s', async (_, body, version) => {
    stub.answers(200, body);
    await facilitator.onModuleInit();
    expect([facilitator.requirementsVersion(), paths()]).toEqual([version, ['/x402/supported']]);
  });

  it.each([
    ['400', json(400, { isValid: false, invalidReason: 'invalid_x402_version' })],
    ['no JSON', page],
  ])('is asked for again after a call that gave %s, at most once a minute', async (_, give) => {
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    give();
    await verify();
    expect(paths()).toEqual(['/x402/supported', '/x402/verify']);
    clock.advanceMs(60_000);
    await verify();
    await eventually(() => expect(paths().filter((path) => path === '/x402/supported')).toHaveLength(2));
  });

  it('stays for a day when /supported cannot be read', async () => {
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    const versionAfter = async (ms: number) => {
      clock.advanceMs(ms);
      await facilitator.onModuleInit();
      return facilitator.requirementsVersion();
    };
    page();
    expect([await versionAfter(0), await versionAfter(DAY_MS - 1), await versionAfter(1)]).toEqual([2, 2, 1]);
  });
});

describe('readiness', () => {
  it('knows from the last call whether it answers, and asks where none was made for ten seconds', async () => {
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

  it.each<[string, number, () => void]>([
    ['a redirect', 308, json(308, {})],
    ['a page', 200, page],
    ['a wrong key', 401, json(401, {})],
  ])('sees %s, which is logged once and counted, until an answer decides', async (_, status, give) => {
    give();
    const bad = stub.behave;
    let verdict = bad;
    stub.behave = (request, response) => {
      if (request.path.endsWith('/verify')) verdict(request, response);
      else response.end(JSON.stringify(VERSION_TWO));
    };
    for (let call = 0; call < 3; call++) expect(await verify()).toMatchObject(UNAVAILABLE);
    expect(error).toHaveBeenCalledTimes(1);
    expect(error).toHaveBeenCalledWith(expect.stringContaining(`verify: the facilitator answers ${status}`));
    const counted = await registry.getSingleMetric('evenkeel_facilitator_unusable_total')!.get();
    expect(counted.values).toEqual([{ labels: { call: 'verify', status }, value: 3 }]);
    expect(facilitator.isAnswering()).toBe(false);
    verdict = (_request, response) => void response.end(JSON.stringify({ isValid: false }));
    await verify();
    expect(facilitator.isAnswering()).toBe(true);
  });

  it.each<[string, number, unknown]>([
    ['a verdict with a status of bad configuration', 403, { isValid: false, success: false }],
    ['a payer that was screened', 403, { errorType: 'kyt_risk_detected' }],
    ['a bad request, which a buyer may have caused', 400, { error: 'bad signature' }],
  ])('sees no fault of the settings in %s', async (_, status, body) => {
    stub.behave = ({ method }, response) => {
      const isSupported = method === 'GET';
      response.writeHead(isSupported ? 200 : status).end(JSON.stringify(isSupported ? VERSION_TWO : body));
    };
    await verify();
    await facilitator.settle(REQUEST);
    expect(error).not.toHaveBeenCalled();
    expect(facilitator.isAnswering()).toBe(true);
  });
});
