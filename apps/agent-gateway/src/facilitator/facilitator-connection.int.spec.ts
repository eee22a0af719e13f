import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SystemClock } from '@evenkeel/kernel';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { FacilitatorConnection } from './facilitator-connection';

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

describe('a call to the facilitator', () => {
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
