import { createHash, randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { APP_NAMES, openApiParts, ownerOf, ROUTES } from '@evenkeel/contracts';
import { TestEdge, WISHES } from './edge.fixture';

jest.setTimeout(60_000);

const MIB = 1_048_576;
/** Any values will do for parameters of a path. */
const PARAMETER = /\{\w+\}/g;

let edge: TestEdge;
beforeAll(async () => {
  edge = await TestEdge.start();
  await Promise.all(ROUTES.map(({ app, prefixes }) => edge.serves(app, prefixes.at(0)!, 2)));
});
afterAll(() => edge?.close());

describe('paths', () => {
  const documented = [...openApiParts().values()].flatMap(({ paths }) =>
    Object.keys(paths).map((path) => path.replace(PARAMETER, 'x')),
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

  const HIDDEN = ['/metrics', '/metrics/x', '/dev', '/dev/mails', '/dev/mails?x', '/health/live', '/health/ready'];
  it.each([...HIDDEN, 'http://internal:9090/metrics', 'http://internal/dev/mails'])(
    '%s is not public',
    async (path) => {
      const before = edge.replicas.flatMap(({ seen }) => seen).length;
      const host = URL.canParse(path) ? new URL(path).host : 'localhost';
      const { status, headers, text } = await edge.ask(path, { headers: { host } });
      expect([status, JSON.parse(text)]).toEqual([
        404,
        { error: 'not_found', message: 'There is nothing at this address.' },
      ]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      });
      expect(edge.replicas.flatMap(({ seen }) => seen)).toHaveLength(before);
    },
  );

  it.each(['/%64ev/mails', '//dev/mails', '/x/../dev/mails', '/DEV/mails', '/;/dev/mails'])(
    '%s does not reach the service that has what is hidden',
    async (path) => {
      const { body } = await edge.ask(path);
      expect(body.app ?? 'agent-gateway').toBe('agent-gateway');
    },
  );
});

it('a probe gets an answer of the edge, at a port of its own', async () => {
  expect(await edge.ask('/health/live', { port: edge.probePort })).toMatchObject({ status: 200 });
});

describe('headers', () => {
  it('of 16 KB together go in, and of 16 KB come out', async () => {
    const [payment, wished] = ['p'.repeat(15_800), 16_384];
    const headers = { 'payment-signature': payment, [WISHES.header]: String(wished) };
    const answer = await edge.ask('/agent/v1/habits/plan', { method: 'POST', headers, body: 'x'.repeat(40_000) });
    expect(answer.body).toMatchObject({ headers: { 'payment-signature': payment }, bytes: 40_000 });
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

  it('have one request id, the caller’s where it is well formed', async () => {
    const given = await edge.ask('/v1/auth/me', { headers: { 'x-request-id': 'mine-1234' } });
    expect([given.body.headers!['x-request-id'], given.headers['x-request-id']]).toEqual(['mine-1234', 'mine-1234']);
    const made = await edge.ask('/v1/auth/me', { headers: { 'x-request-id': 'no "good"' } });
    expect(made.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(made.body.headers!['x-request-id']).toBe(made.headers['x-request-id']);
  });

  it('of content stay: nothing is packed or unpacked on the way', async () => {
    const { body, headers } = await edge.ask('/openapi.json', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(body.headers!['accept-encoding']).toBe('gzip, br');
    expect(headers['content-encoding']).toBeUndefined();
  });
});

it('a connection of a client is kept, for requests to several services', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const path of ['/', '/v1/auth/me', '/v1/billing/me']) await edge.ask(path, { agent });
    await edge.ask('/v1/habits', { agent, method: 'POST', body: '{}' });
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  } finally {
    agent.destroy();
  }
});

it.each([
  ['GET', '/v1/capabilities', undefined],
  ['POST', '/agent/v1/habits/analyze', 'close'],
  ['GET', '/v1/habits', 'close'],
  ['POST', '/v1/habits', 'close'],
])('%s %s: only what agents read comes to a service on a connection that is kept', async (method, path, said) => {
  const { body } = await edge.ask(path, { method });
  expect(body.headers!['connection']).toBe(said);
});

it.each([
  ['/v1/billing/webhook/stripe', 1],
  ['/v1/habits/import', 10],
])('a body to %s of %i MiB arrives whole, with its length or in pieces', async (path, mebibytes) => {
  const body = randomBytes(mebibytes * MIB);
  const sha256 = createHash('sha256').update(body).digest('hex');
  for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
    const answer = await edge.ask(path, { method: 'POST', body, headers });
    expect(answer.body).toMatchObject({ bytes: body.length, sha256 });
  }
});
