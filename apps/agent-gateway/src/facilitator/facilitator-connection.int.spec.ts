import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ManualClock, SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { analyze, anAuthorization, noon, terms } from '../payments/payment.fixture';
import { FacilitatorConnection } from './facilitator-connection';
import { HttpFacilitator } from './http-facilitator';
import { type FacilitatorRequest, OfferRequirements } from './payment-requirements';
import { StubFacilitator } from './stub-facilitator.fixture';

describe('a call to the facilitator', () => {
  type Reaction = (request: IncomingMessage, response: ServerResponse, socket: Socket) => void;

  /** One reaction for each request in turn, the last one for all that follow. */
  let reactions: Reaction[];
  let requests: { method?: string; url?: string; type?: string; body: string }[];

  const answer =
    (text: string, status = 200): Reaction =>
    (_request, response) =>
      response.writeHead(status).end(text);
  const reset: Reaction = (_request, _response, socket) => socket.resetAndDestroy();
  const silence: Reaction = () => undefined;
  const halfAnswer: Reaction = (_request, response, socket) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"isValid":', () => socket.resetAndDestroy());
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url } = request;
      requests.push({ method, url, type: request.headers['content-type'], body: Buffer.concat(chunks).toString() });
      const react = reactions.length > 1 ? reactions.shift()! : reactions[0]!;
      react(request, response, request.socket);
    });
  });
  let connection: FacilitatorConnection;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    requests = [];
    const { port } = server.address() as AddressInfo;
    const config = { FACILITATOR_URL: `http://127.0.0.1:${port}/base/`, cdpKey: null } as AgentGatewayConfig;
    connection = new FacilitatorConnection(config, new SystemClock());
  });
  afterEach(() => connection.close());
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const limits = { timeoutMs: 1_000, retryConnection: true };
  const post = (over: Partial<typeof limits> = {}) => connection.post('/verify', '{"a":1}', { ...limits, ...over });

  it('sends JSON below the base path and gives back status and parsed body', async () => {
    reactions = [answer('{"isValid":true}', 402)];
    expect(await post()).toEqual({ kind: 'answer', status: 402, body: { isValid: true } });
    expect(requests).toEqual([{ method: 'POST', url: '/base/verify', type: 'application/json', body: '{"a":1}' }]);
  });

  it('puts an answer of several packets together', async () => {
    const long = JSON.stringify({ text: 'é'.repeat(20_000) });
    reactions = [
      (_request, response) => {
        response.write(Buffer.from(long).subarray(0, 12_346));
        setTimeout(() => response.end(Buffer.from(long).subarray(12_346)), 20);
      },
    ];
    expect(await post()).toMatchObject({ kind: 'answer', body: JSON.parse(long) as object });
  });

  it.each([
    ['no JSON', '<html>', 500],
    ['nothing', '', 200],
  ])('says so when the answer is %s', async (_, text, status) => {
    reactions = [answer(text, status)];
    expect(await post()).toEqual({ kind: 'answer', status, body: undefined });
  });

  it('does not follow a redirect', async () => {
    reactions = [(_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()];
    expect(await post()).toMatchObject({ kind: 'answer', status: 302 });
    expect(requests).toHaveLength(1);
  });

  it('goes out once more when the connection broke before an answer', async () => {
    reactions = [reset, answer('{}')];
    expect(await post()).toEqual({ kind: 'answer', status: 200, body: {} });
    expect(requests).toHaveLength(2);
  });

  it.each<[string, Reaction, boolean, number]>([
    ['the connection broke again', reset, true, 2],
    ['it may not be repeated', reset, false, 1],
    ['an answer had begun', halfAnswer, true, 1],
    ['the answer has no end', answer(`"${'x'.repeat(70_000)}"`), true, 1],
    ['nobody answers', silence, true, 1],
  ])('fails when %s', async (_, reaction, retryConnection, count) => {
    reactions = [reaction];
    expect(await post({ retryConnection })).toMatchObject({ kind: 'failure' });
    expect(requests).toHaveLength(count);
  });

  it('ends in its time, also when the answer dribbles', async () => {
    reactions = [
      (_request, response) => {
        const drip = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(drip));
      },
    ];
    const begun = performance.now();
    expect(await post({ timeoutMs: 200 })).toMatchObject({ kind: 'failure', cause: 'no answer in 200 ms' });
    expect(performance.now() - begun).toBeLessThan(1_500);
  });

  it('fails when no server listens', async () => {
    const nowhere = { FACILITATOR_URL: 'http://127.0.0.1:1', cdpKey: null } as AgentGatewayConfig;
    const lost = new FacilitatorConnection(nowhere, new SystemClock());
    expect(await lost.get('/supported', limits)).toEqual({
      kind: 'failure',
      cause: 'ECONNREFUSED',
      answerBegan: false,
    });
    await lost.close();
  });
});

describe('an answer that decides nothing', () => {
  const VERSION_TWO = { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] };
  const request: FacilitatorRequest = {
    requirements: new OfferRequirements(terms).of(analyze, 2, 'http'),
    authorization: JSON.stringify(anAuthorization()),
    signature: `0x${'cd'.repeat(65)}`,
  };

  let stub: StubFacilitator;
  let clock: ManualClock;
  let registry: Registry;
  let facilitator: HttpFacilitator;
  beforeEach(async () => {
    stub = new StubFacilitator();
    clock = new ManualClock(noon);
    registry = new Registry();
    const config = loadConfig(AgentGatewayConfig, {
      DATABASE_URL: 'postgres://localhost/none',
      X402_PAY_TO: terms.payTo,
      ANSWER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      RECEIPT_KEYS: `k:${Buffer.alloc(32, 1).toString('base64')}`,
      FACILITATOR_URL: await stub.start(),
      FACILITATOR_VERIFY_TIMEOUT_MS: '20000',
      FACILITATOR_SETTLE_TIMEOUT_MS: '20000',
    });
    facilitator = new HttpFacilitator(config, terms, clock, new GatewayMetrics(registry));
  });
  afterEach(async () => {
    await facilitator.onApplicationShutdown();
    await stub.close();
  });

  const verify = () => facilitator.verify(request, '192.0.2.1');

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
    ['a page of a bad request', 400, page(400)],
    ['a wrong key', 401, (it) => it.answers(401, {})],
    ['a wrong address', 404, (it) => it.answers(404, {})],
    ['JSON without a verdict', 200, (it) => it.answers(200, {})],
  ])('such as %s is logged once a minute, counted, and seen by readiness', async (_, status, give) => {
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
      void response
        .writeHead(method === 'GET' ? 200 : status)
        .end(JSON.stringify(method === 'GET' ? VERSION_TWO : body));
    await verify();
    await facilitator.settle(request);
    expect(error).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledTimes(warnings);
    expect(facilitator.isAnswering()).toBe(true);
  });

  it('to /supported is one, too', async () => {
    page(200)(stub);
    await facilitator.onModuleInit();
    expect(facilitator.isAnswering()).toBe(false);
    stub.answers(200, VERSION_TWO);
    await facilitator.onModuleInit();
    expect(facilitator.isAnswering()).toBe(true);
  });
});
