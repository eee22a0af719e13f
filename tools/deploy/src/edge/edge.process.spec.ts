import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { APP_NAMES, openApiParts, ownerOf, ROUTES } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { TestEdge, WISHES, type Answer } from './edge.fixture';
import { WRITTEN_EDGES } from './main';

jest.setTimeout(120_000);

const PAID = '/agent/v1/habits/plan';
const ID = expect.stringMatching(/^[\w-]{36}$/) as string;
/** Longer than a busy test takes from connecting to the last byte of a request that it means to send at once. */
const WAIT_MS = 2_000;

let edge: TestEdge;
beforeAll(async () => {
  // Shorter waits for slow clients and for servers.
  edge = await TestEdge.start((configuration) =>
    configuration
      .replaceAll(/(timeout http-request|body time) 10s/g, `$1 ${WAIT_MS}ms`)
      .replace('timeout server 4950ms', 'timeout server 4s'),
  );
  await Promise.all(ROUTES.map(({ app, prefixes }) => edge.serves(app, prefixes.at(0)!, 2)));
});
afterAll(() => edge?.close());

const post = (path: string, headers: Record<string, string> = {}, body: Buffer | string = '{}') =>
  edge.ask(path, { method: 'POST', headers, body });

it.each(Object.keys(WRITTEN_EDGES))('HAProxy takes %s', (file) => {
  const env = { ...process.env, SERVICE_DOMAIN: 'evenkeel.svc.cluster.local' };
  expect(spawnSync('haproxy', ['-c', '-f', file], { env, encoding: 'utf8' })).toMatchObject({ status: 0 });
});

it('a probe gets an answer of the edge, at a port of its own', async () => {
  expect(await edge.ask('/health/live', { port: edge.probePort })).toMatchObject({ status: 200 });
});

describe('paths', () => {
  const documented = [...openApiParts().values()].flatMap(({ paths }) =>
    Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, 'x')),
  );
  const prefixes = ROUTES.flatMap((route) => route.prefixes).filter((prefix) => prefix !== '/dev/mails');
  const further = prefixes.flatMap((prefix) => [`${prefix}/x`, `${prefix}x`, `${prefix}?x=/v1/billing`]);
  const paths = [...new Set([...documented, ...prefixes, ...further])].filter((path) => !path.startsWith('/health/'));

  it.each(['GET', 'POST'])(`%s: each of ${paths.length} reaches its owner as it was sent`, async (method) => {
    const answers = await Promise.all(paths.map((path) => edge.ask(path, { method })));
    const reached = answers.map(({ body }) => [body.app, body.method, body.target]);
    expect(reached).toEqual(paths.map((path) => [ownerOf(path.split('?')[0]!), method, path]));
    expect(new Set(reached.map(([app]) => app))).toEqual(new Set(APP_NAMES));
  });

  it.each(['/metrics', '/metrics/x', '/dev/mails', '/dev/mails?x', '/health/ready', 'http://internal:9090/metrics'])(
    '%s is not public',
    async (path) => {
      const before = edge.seen.length;
      const host = URL.canParse(path) ? new URL(path).host : 'localhost';
      const { status, headers, body } = await edge.ask(path, { headers: { host } });
      const said = { error: 'not_found', message: 'There is nothing at this address.' };
      expect([status, body, edge.seen.length]).toEqual([404, said, before]);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': ID });
    },
  );

  it.each(['/%64ev/mails', '//dev/mails', '/x/../dev/mails', '/DEV/mails', '/;/dev/mails'])(
    '%s does not reach the service that has what is hidden',
    async (path) => expect((await edge.ask(path)).body.app ?? 'agent-gateway').toBe('agent-gateway'),
  );
});

describe('headers', () => {
  it('of 16 KB together go in, and of 16 KB come out', async () => {
    const [payment, wished] = ['p'.repeat(15_800), 16_384];
    const answer = await post(PAID, { 'payment-signature': payment, [WISHES.header]: String(wished) });
    expect(answer.body).toMatchObject({ headers: { 'payment-signature': payment } });
    expect(answer.headers['x-wished']).toHaveLength(wished);
  });

  it.each([
    ['the one that the proxy in front adds', ['10.1.1.1', '10.2.2.2, 203.0.113.9'], '203.0.113.9'],
    ['of IPv6', ['10.1.1.1, 2001:db8::9'], '2001:db8::9'],
    ['that of the connection, where none is added', [], '127.0.0.1'],
    ['that of the connection, where the last is no address', ['10.1.1.1, "forged"'], '127.0.0.1'],
  ])('say one address of the client, whatever the client says of it: %s', async (_which, forwarded, seen) => {
    const { body } = await edge.ask('/v1/auth/me', { headers: { 'x-forwarded-for': forwarded } });
    expect(body.headers!['x-forwarded-for']).toBe(seen);
  });

  it.each([
    ['mine-1234', 'mine-1234'],
    ['no "good"', ID],
  ])('have one request id, that of the caller where it is well formed: %s', async (sent, expected) => {
    const { body, headers } = await edge.ask('/v1/auth/me', { headers: { 'x-request-id': sent } });
    expect(headers['x-request-id']).toEqual(expected);
    expect(body.headers!['x-request-id']).toBe(headers['x-request-id']);
  });
});

it('a body of 10 MiB arrives whole, with its length or in pieces', async () => {
  const body = randomBytes(10 * 1_048_576);
  const sha256 = createHash('sha256').update(body).digest('hex');
  const [bytes, PATH] = [body.length, '/v1/habits/import'];
  expect((await post(PATH, { 'content-length': String(bytes) }, body)).body).toMatchObject({ bytes, sha256 });
  expect((await post(PATH, { 'transfer-encoding': 'chunked' }, body)).body).toMatchObject({ bytes, sha256 });
});

it.each([
  ['falls silent in its head', 'GET / HTTP/1.1\r\nHost: edge\r\nX-Slow: ', /^$/],
  [
    'drips its body',
    'POST /v1/auth/login HTTP/1.1\r\nHost: edge\r\nContent-Length: 1000\r\n\r\n{',
    /^HTTP\/1\.1 400 [^]*"error":"validation_failed","message":"The request did not arrive in time\."/,
  ],
  ['speaks no HTTP', 'HELO edge\r\n\r\n', /^$/],
])('a client that %s is cut or answered, and no service has got it', async (_how, bytes, expected) => {
  const before = edge.seen.length;
  const socket = connect(edge.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  const dripping = setInterval(() => bytes.endsWith('{') && socket.write('x'), WAIT_MS / 10);
  expect(await text(socket).finally(() => clearInterval(dripping))).toMatch(expected);
  expect(edge.seen).toHaveLength(before);
});

describe('a server that breaks off', () => {
  it.each([
    ['POST', PAID, 'settlement_unknown', { charged: null, retry: 'retry_same' }, 1],
    ['POST', '/v1/billing/checkout', 'service_unavailable', undefined, 1],
    ['GET', '/v1/billing/me', 'service_unavailable', undefined, 4],
  ])(
    '%s %s: is answered on a kept connection too, and no change is sent twice',
    async (method, path, error, details, asked) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { [WISHES.reset]: 'yes', 'content-length': '0' };
      for (let turn = 1; turn <= 2; turn++) {
        await edge.ask('/', { agent });
        const before = edge.seen.length;
        const answer = await edge.ask(path, { agent, method, headers });
        expect([answer.status, answer.body.error, answer.body.details]).toEqual([502, error, details]);
        expect(answer.headers).toMatchObject({ 'retry-after': '2', 'x-request-id': ID });
        expect(edge.seen).toHaveLength(before + asked);
      }
      agent.destroy();
    },
  );

  it('is named in the log, and one that answers is not', async () => {
    await post('/v1/habits', { 'x-request-id': 'logged-nowhere' });
    await post('/v1/habits?secret=1', { 'x-request-id': 'logged-in-words', [WISHES.reset]: 'yes' });
    const line = () => edge.log.find((one) => one.includes('logged-in-words'));
    await eventually(() => expect(line()).toBeDefined());
    const server = expect.stringMatching(/^accounts-[12]$/) as string;
    const said = { status: 502, method: 'POST', path: '/v1/habits', backend: 'accounts_writes', server };
    expect(JSON.parse(line()!)).toMatchObject(said);
    expect(edge.log.join()).not.toMatch(/logged-nowhere|secret/);
  });

  it('that never answers ends as unknown for who pays, and as not available for others', async () => {
    const headers = { [WISHES.waitMs]: '6000' };
    const asked = [post(PAID, headers), post('/v1/habits', headers), edge.ask('/v1/habits', { headers })];
    const answers = await Promise.all(asked);
    expect(answers.map(({ status, body }) => [status, body.error, body.details?.['charged']])).toEqual([
      [502, 'settlement_unknown', null],
      [503, 'service_unavailable', undefined],
      [503, 'service_unavailable', undefined],
    ]);
  });

  it.each([
    ['/v1/habits/import', '{}'],
    ['/v1/habits/logs/batch', 'x'.repeat(40_000)],
  ])('is waited for by who sends much to %s', async (path, body) => {
    expect((await post(path, { [WISHES.waitMs]: '5000' }, body)).status).toBe(200);
  });
});

describe('a service', () => {
  const APP = 'billing';
  const PATH = '/v1/billing/checkout';

  it('drains one process after the other, and no request fails or is made twice', async () => {
    const posted = () => edge.seen.filter(({ app, method }) => app === APP && method === 'POST').length;
    const before = posted();
    const answers: Answer[] = [];
    let done = false;
    const client = async () => {
      while (!done) answers.push(await post(PATH, { [WISHES.waitMs]: '20' }));
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    const rolled = async () => {
      for (const replica of edge.of(APP)) {
        replica.isReady = false;
        await edge.serves(APP, PATH, 1);
        // Changes have a backend of their own, which asks for itself who is ready.
        const last = () => answers.slice(-16).map(({ body }) => body.replica);
        await eventually(() => expect(last()).not.toContain(replica.number));
        await replica.stop();
        replica.isReady = true;
        await replica.start();
        await edge.serves(APP, PATH, 2);
      }
    };
    await rolled().finally(() => (done = true));
    await clients;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(posted() - before).toBe(answers.length);
  });

  it('whose process has gone goes on with the other, for changes too', async () => {
    const [first] = edge.of(APP);
    await first.stop();
    const changes = await Promise.all(Array.from({ length: 8 }, () => post(PATH)));
    expect(changes.map(({ status, body }) => [status, body.replica])).toEqual(Array(8).fill([200, 2]));
    await first.start();
  });

  it('without a process is said to be away, in the shape of its surface', async () => {
    const all = [...edge.of('agent-gateway'), ...edge.of(APP)];
    await Promise.all(all.map((replica) => replica.stop()));
    await eventually(async () => (await edge.ask('/agent/v1/pricing')).status === 503);
    const answers = [await post(PAID), await edge.ask('/agent/v1/pricing'), await post(PATH)];
    const nothing = { charged: false, retry: 'retry_same' };
    expect(answers.map(({ status, body }) => [status, body.error, body.details])).toEqual([
      [502, 'payment_verification_unavailable', nothing],
      [503, 'service_unavailable', nothing],
      [503, 'service_unavailable', undefined],
    ]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store', 'x-request-id': ID });
    await Promise.all(all.map((replica) => replica.start()));
  });
});
