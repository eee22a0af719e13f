import { ManualClock } from '@evenkeel/kernel';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { noon } from '../payments/payment.fixture';
import type { Facilitator } from './facilitator';
import { connect, REQUEST, StubFacilitator, VERSION_TWO } from './stub-facilitator.fixture';

// Answers that decide nothing.

let stub: StubFacilitator;
let clock: ManualClock;
let registry: Registry;
let facilitator: Facilitator;
beforeEach(async () => {
  stub = new StubFacilitator();
  clock = new ManualClock(noon);
  registry = new Registry();
  facilitator = connect(await stub.start(), clock, {}, registry);
});
afterEach(async () => {
  await facilitator.onApplicationShutdown();
  await stub.close();
});

const verify = () => facilitator.verify(REQUEST, '192.0.2.1');
const page = (status: number) => (it: StubFacilitator) =>
  void (it.behave = (_request, response) => void response.writeHead(status).end('<html>'));
let error: jest.SpyInstance;
let warn: jest.SpyInstance;
beforeEach(() => {
  error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());
const counted = async () =>
  (await registry.getMetricsAsJSON()).find(({ name }) => name === 'evenkeel_facilitator_unusable_total')!.values;

it.each<[string, number, (stub: StubFacilitator) => void]>([
  ['a redirect', 308, (it) => it.answers(308, {})],
  ['its own limit', 429, (it) => it.answers(429, { error: 'slow down' })],
  ['a page', 200, page(200)],
  ['a wrong key', 401, (it) => it.answers(401, {})],
  ['JSON without a verdict', 200, (it) => it.answers(200, {})],
])('%s is logged once a minute, counted, and seen by readiness', async (_, status, give) => {
  give(stub);
  const bad = stub.behave;
  const onVerify =
    (behave: typeof bad): typeof bad =>
    (heard, response) => {
      if (heard.path.endsWith('/verify')) return behave(heard, response);
      response.end(JSON.stringify(VERSION_TWO));
    };
  stub.behave = onVerify(bad);
  for (let i = 0; i < 3; i++) expect(await verify()).toMatchObject({ kind: 'unavailable' });
  expect(error).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledWith(
    expect.stringContaining(`verify: the facilitator answers ${status}, which decides nothing`),
  );
  expect(await counted()).toEqual([{ labels: { call: 'verify', status: String(status) }, value: 3 }]);
  expect(facilitator.isAnswering()).toBe(false);

  clock.advanceMs(60_000);
  await verify();
  expect(error).toHaveBeenCalledTimes(2);
  const refusal = JSON.stringify({ isValid: false, invalidReason: 'insufficient_funds' });
  stub.behave = onVerify((_request, response) => void response.end(refusal));
  await verify();
  expect(facilitator.isAnswering()).toBe(true);
});

it.each<[string, number, unknown, number]>([
  ['a verdict with a status of bad configuration', 403, { isValid: false, success: false }, 0],
  ['a payer that was screened', 403, { errorType: 'kyt_risk_detected' }, 0],
  ['a bad request, which a buyer may have caused', 400, { error: 'bad signature' }, 2],
])('is no fault of the settings: %s', async (_, status, body, warnings) => {
  stub.behave = ({ method }, response) =>
    void response.writeHead(method === 'GET' ? 200 : status).end(JSON.stringify(method === 'GET' ? VERSION_TWO : body));
  await verify();
  await facilitator.settle(REQUEST);
  expect(error).not.toHaveBeenCalled();
  expect(warn).toHaveBeenCalledTimes(warnings);
  expect(facilitator.isAnswering()).toBe(true);
});

it('a page in place of /supported is one, too', async () => {
  page(200)(stub);
  await facilitator.onModuleInit();
  expect(facilitator.isAnswering()).toBe(false);
  stub.answers(200, VERSION_TWO);
  await facilitator.onModuleInit();
  expect(facilitator.isAnswering()).toBe(true);
});
