import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AppName } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { TestEdge, WISHES, type Answer } from './edge.fixture';

jest.setTimeout(120_000);

const PAID = '/agent/v1/habits/plan';
/** Longer than a busy test takes from connecting to the last byte of a request that it means to send at once. */
const WAIT_MS = 2_000;

let edge: TestEdge;
beforeAll(async () => {
  // Shorter waits for slow clients and for servers: the made ones are in the unit test.
  edge = await TestEdge.start((text) =>
    text
      .replaceAll(/(timeout http-request|body time) 10s/g, `$1 ${WAIT_MS}ms`)
      .replace('timeout server 4950ms', 'timeout server 4s'),
  );
});
afterAll(() => edge?.close());

const post = (path: string, headers: Record<string, string> = {}) =>
  edge.ask(path, { method: 'POST', headers, body: '{}' });
const seenBy = (app: AppName) => edge.of(app).flatMap(({ seen }) => seen);

/**
 * The answers of the edge to a client that stops sending, or sends one byte after the other: each comes well within
 * every pause that is allowed.
 */
async function saidTo(bytes: string, goesOn = false): Promise<string> {
  const socket = connect(edge.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  const dripping = setInterval(() => goesOn && socket.write('x'), WAIT_MS / 10);
  return text(socket).finally(() => clearInterval(dripping));
}

describe('a client that is too slow', () => {
  it.each([
    ['falls silent', false],
    ['drips byte by byte', true],
  ])('is cut when its head does not end: it %s', async (_how, goesOn) => {
    expect(await saidTo('GET / HTTP/1.1\r\nHost: edge\r\nX-Slow: ', goesOn)).toBe('');
  });

  it.each([
    ['falls silent', false, 'Content-Length: 1000'],
    ['drips byte by byte', true, 'Content-Length: 1000'],
    ['falls silent within a piece', false, 'Transfer-Encoding: chunked'],
    ['drips a piece', true, 'Transfer-Encoding: chunked'],
  ])('is answered when its body does not end, and no service has got it: it %s', async (_how, goesOn, length) => {
    const before = seenBy('accounts').length;
    const body = length.startsWith('Content') ? '{' : '3e8\r\n{';
    const said = await saidTo(`POST /v1/auth/login HTTP/1.1\r\nHost: edge\r\n${length}\r\n\r\n${body}`, goesOn);
    expect(said).toMatch(
      /^HTTP\/1\.1 400 [^]*"error":"validation_failed","message":"The request did not arrive in time\."/,
    );
    expect(seenBy('accounts')).toHaveLength(before);
  });

  it('is cut when it speaks no HTTP, or sends more headers than fit', async () => {
    expect(await saidTo('HELO edge\r\n\r\n')).toBe('');
    expect(await saidTo(`GET / HTTP/1.1\r\nHost: edge\r\nX-Long: ${'l'.repeat(40_000)}\r\n\r\n`)).toBe('');
  });
});

describe('a server that breaks off', () => {
  it.each([
    ['POST', PAID, 'settlement_unknown', 1],
    ['POST', '/v1/billing/checkout', 'service_unavailable', 1],
    ['GET', '/v1/billing/me', 'service_unavailable', 4],
  ])('is answered on a kept connection of a client too: %s %s', async (method, path, error, asked) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const seen = () => edge.replicas.flatMap((replica) => replica.seen).filter(({ target }) => target === path).length;
    for (let turn = 1; turn <= 2; turn++) {
      const before = seen();
      await edge.ask('/', { agent });
      const answer = await edge.ask(path, { agent, method, headers: { [WISHES.reset]: '1,2' } });
      expect([answer.status, answer.body.error, answer.headers['retry-after']]).toEqual([502, error, '2']);
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
      expect(seen()).toBe(before + asked);
    }
    agent.destroy();
  });

  it('gets a paying request once, and nobody says that nothing was charged', async () => {
    const before = seenBy('agent-gateway').length;
    const { status, body, headers } = await post(PAID, { [WISHES.reset]: '1,2' });
    expect([status, body.error, headers['retry-after']]).toEqual([502, 'settlement_unknown', '2']);
    expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
    expect(seenBy('agent-gateway')).toHaveLength(before + 1);
  });

  it('gets no other change twice either', async () => {
    const before = seenBy('accounts').length;
    const answers = await Promise.all(
      ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => {
        const headers = { [WISHES.reset]: '1,2', 'content-length': '0' };
        return edge.ask('/v1/habits', { method, headers });
      }),
    );
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      Array(4).fill([502, 'service_unavailable']),
    );
    expect(seenBy('accounts')).toHaveLength(before + 4);
  });

  it('is named in the log, and one that answers is not', async () => {
    const id = (what: string) => ({ 'x-request-id': `told-${what}` });
    await post('/v1/habits', id('nowhere'));
    await post('/v1/habits?secret=1', { ...id('in-words'), [WISHES.reset]: '1,2' });
    const [failed] = await eventually(async () => {
      const lines = edge.log.filter((line) => line.includes('"requestId":"told-'));
      expect(lines).not.toEqual([]);
      return lines.map((line) => JSON.parse(line) as object);
    });
    expect(failed).toEqual({
      level: 'warn',
      name: 'edge',
      msg: 'request failed',
      status: 502,
      method: 'POST',
      path: '/v1/habits',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      durationMs: expect.any(Number),
      requestId: 'told-in-words',
      backend: 'accounts_writes',
      server: expect.stringMatching(/^accounts-[12]$/),
      state: 'SH--',
      retries: '0',
    });
    expect(edge.log.join()).not.toContain('told-nowhere');
  });

  it('costs a reader nothing: the other one is asked', async () => {
    const reads = Array.from({ length: 8 }, () => edge.ask('/v1/habits', { headers: { [WISHES.reset]: '1' } }));
    const answers = await Promise.all(reads);
    expect(answers.map(({ status, body }) => [status, body.replica])).toEqual(Array(8).fill([200, 2]));
  });

  it('that never answers ends as unknown for who pays, and as not available for others', async () => {
    const headers = { [WISHES.waitMs]: '6000' };
    const [paid, written, read] = await Promise.all([
      post(PAID, headers),
      post('/v1/habits', headers),
      edge.ask('/v1/habits', { headers }),
    ]);
    expect([paid.status, paid.body.error, paid.body.details]).toEqual([
      502,
      'settlement_unknown',
      { charged: null, retry: 'retry_same' },
    ]);
    expect([written, read].map(({ status, body }) => [status, body.error])).toEqual(
      Array(2).fill([503, 'service_unavailable']),
    );
  });

  it.each([
    ['a file', '/v1/habits/import', '{}'],
    ['much', '/v1/habits/logs/batch', 'x'.repeat(40_000)],
  ])('is waited for by who sends %s', async (_what, path, body) => {
    const headers = { [WISHES.waitMs]: '5000' };
    expect((await edge.ask(path, { method: 'POST', headers, body })).status).toBe(200);
  });
});

describe('a service', () => {
  const APP = 'billing';
  const PATH = '/v1/billing/checkout';
  beforeEach(() => edge.serves(APP, PATH, 2));

  /** Clients that ask until the work is done; each change once more than it was answered would be one too many. */
  async function under(
    work: (answers: readonly Answer[]) => Promise<unknown>,
    send: () => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    let done = false;
    const client = async () => {
      while (!done) answers.push(await send());
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await work(answers).finally(() => (done = true));
    await clients;
    return answers;
  }

  it('drains one process after the other, and no request fails or is made twice', async () => {
    const posted = () => seenBy(APP).filter(({ method }) => method === 'POST').length;
    const before = posted();
    const rolled = async (answers: readonly Answer[]) => {
      for (const replica of edge.of(APP)) {
        replica.isReady = false;
        await edge.serves(APP, PATH, 1);
        // Changes have a backend of their own, which asks for itself who is ready.
        await eventually(async () => {
          const last = answers.slice(-16).map(({ body }) => body.replica);
          expect(last).not.toContain(replica.number);
        });
        await replica.drain();
        replica.isReady = true;
        await replica.start();
        await edge.serves(APP, PATH, 2);
      }
    };
    const answers = await under(rolled, () => post(PATH, { [WISHES.waitMs]: '20' }));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(posted() - before).toBe(answers.length);
  });

  it('whose process was killed between requests goes on with the other', async () => {
    const [first] = edge.of(APP);
    await first!.kill();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? post(PATH) : edge.ask(PATH))),
    );
    expect(answers.map(({ status, body }) => [status, body.replica])).toEqual(Array(8).fill([200, 2]));
    await first!.start();
  });

  it('whose process is killed under load fails no read', async () => {
    const [first] = edge.of(APP);
    const killed = async () => {
      await edge.serves(APP, PATH, 2);
      await first!.kill();
      await edge.serves(APP, PATH, 1);
      await first!.start();
      await edge.serves(APP, PATH, 2);
    };
    const answers = await under(killed, () => edge.ask(PATH, { headers: { [WISHES.waitMs]: '20' } }));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('all of whose processes are killed tells of it in each read that was under way', async () => {
    const [first, second] = edge.of(APP);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const reads = (waitMs: number) =>
      Promise.all(
        Array.from({ length: 8 }, () => edge.ask(PATH, { agent, headers: { [WISHES.waitMs]: String(waitMs) } })),
      );
    // From now on there are connections that have carried requests, on both sides of the edge.
    await reads(20);
    const before = seenBy(APP).length;
    const underWay = reads(2_000);
    await eventually(() => expect(seenBy(APP)).toHaveLength(before + 8));
    await Promise.all([first!.kill(), second!.kill()]);
    const answers = await underWay;
    expect(answers.map(({ body }) => body.error)).toEqual(Array(8).fill('service_unavailable'));
    agent.destroy();
    await Promise.all([first!.start(), second!.start()]);
  });

  it('of which nobody is ready answers all the same', async () => {
    const [first, second] = edge.of(APP);
    first!.isReady = false;
    await edge.serves(APP, PATH, 1);
    second!.isReady = false;
    await edge.serves(APP, PATH, 2);
    expect((await post(PATH)).status).toBe(200);
    first!.isReady = second!.isReady = true;
  });

  it('without a process is said to be away, in the shape of its surface', async () => {
    const gateway = edge.of('agent-gateway');
    await Promise.all([...gateway, ...edge.of(APP)].map((replica) => replica.kill()));
    await eventually(async () => expect((await edge.ask('/agent/v1/pricing')).status).toBe(503), { withinMs: 15_000 });
    const paid = await post(PAID);
    expect([paid.status, paid.body.error]).toEqual([502, 'payment_verification_unavailable']);
    expect(paid.body.details).toEqual({ charged: false, retry: 'retry_same' });
    const read = await edge.ask('/agent/v1/pricing');
    expect([read.status, read.body.error, read.body.details]).toEqual([
      503,
      'service_unavailable',
      { charged: false, retry: 'retry_same' },
    ]);
    const other = await post(PATH);
    expect([other.status, other.body]).toEqual([503, { error: 'service_unavailable', message: expect.any(String) }]);
    for (const { headers } of [paid, read, other]) {
      expect(headers).toMatchObject({
        'retry-after': '2',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      });
    }
    await Promise.all([...gateway, ...edge.of(APP)].map((replica) => replica.start()));
  });
});
