import type { Environment } from '@evenkeel/platform/config';
import { OPERATOR_ROUTES } from '../revenue/documented-queries.fixture';
import { Reporting, TOKEN } from '../revenue/reporting.fixture';
import { EraseOperatorReads } from './erase-operator-reads';

const ROUTES = OPERATOR_ROUTES.map(({ path, query }) => [path, query] as const);
const [[FIRST], [SECOND]] = [ROUTES[0]!, ROUTES[1]!];

/** In the present: the worker erases reads that are 90 days old by the clock of the database. */
function presentReporting(settings?: Environment): Reporting {
  const reporting = Reporting.forSuite(settings);
  beforeAll(() => reporting.clock.set(new Date()));
  return reporting;
}

const asOperator = { headers: { 'x-admin-token': TOKEN } };

interface ReadRow {
  occurred_at: Date;
  path: string;
  query: object;
  request_id: string;
  network: string;
  allowed: boolean;
}
const readsOf = (reporting: Reporting) =>
  reporting.database.dataSource.query<ReadRow[]>('SELECT * FROM operator_reads ORDER BY id');

describe('without an operator token', () => {
  const reporting = Reporting.forSuite({ ADMIN_TOKEN: undefined });

  it.each(ROUTES)('%s is 501 with any token', async (path) => {
    const offers: Record<string, string>[] = [{}, { 'x-admin-token': TOKEN }, { 'x-admin-token': 'undefined' }];
    for (const headers of offers) {
      const { status, body } = await reporting.send(`${path}?days=nonsense`, { headers });
      expect([status, body.error]).toEqual([501, 'admin_not_configured']);
    }
    expect(await readsOf(reporting)).toEqual([]);
  });
});

describe('with an operator token', () => {
  const reporting = presentReporting();

  it.each(ROUTES)('%s refuses a wrong token before it reads the query', async (path) => {
    const offers: Record<string, string>[] = [
      {},
      { 'x-admin-token': '' },
      { 'x-admin-token': TOKEN.slice(1) },
      { 'x-admin-token': `${TOKEN}!` },
      { authorization: `Bearer ${TOKEN}` },
    ];
    const before = await readsOf(reporting);
    const answers = [await reporting.send(`${path}?days=nonsense&x-admin-token=${encodeURIComponent(TOKEN)}`)];
    for (const headers of offers) answers.push(await reporting.send(`${path}?days=nonsense`, { headers }));
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([401, { error: 'invalid_admin_token', message: expect.any(String) }]);
      expect(headers.get('ratelimit')).toMatch(/^"admin_guesses";r=\d+;t=\d+$/);
      expect(headers.get('www-authenticate')).toBe('ApiKey realm="operators", header="X-Admin-Token"');
    }
    const guessesIn = (rows: ReadRow[]) => rows.filter((row) => !row.allowed).length;
    const rows = await readsOf(reporting);
    expect([rows.length - before.length, guessesIn(rows) - guessesIn(before)]).toEqual([
      answers.length,
      answers.length,
    ]);
  });

  it.each(ROUTES)(
    '%s answers the right token, and no cache or other origin may use the answer',
    async (path, query) => {
      const { status, headers } = await reporting.send(`${path}?${query}`, {
        headers: { ...asOperator.headers, origin: 'https://elsewhere.example' },
      });
      const answer = path.includes('payments/') ? 404 : 200;
      expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([
        answer,
        'no-store',
        null,
      ]);
      const policy = path.endsWith('changes') ? 'changes' : 'admin';
      expect(headers.get('ratelimit-policy')).toBe(`"${policy}";q=120000;w=60`);
    },
  );

  it.each(ROUTES)(
    '%s answers HEAD without a body, OPTIONS without a token, and no other method',
    async (path, query) => {
      const head = await reporting.send(`${path}?${query}`, { method: 'HEAD', ...asOperator });
      expect([head.status, head.text]).toEqual([path.includes('payments/') ? 404 : 200, '']);
      expect((await reporting.send(path, { method: 'HEAD' })).status).toBe(401);
      expect((await reporting.send(path, { method: 'OPTIONS' })).status).toBe(204);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, body, headers } = await reporting.send(path, { method, ...asOperator });
        expect([status, body.error, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD']);
      }
    },
  );

  it('writes every read down, those that were no good too', async () => {
    const requestIds = ['first-of-the-morning', 'second-of-the-morning'];
    const ask = async (path: string, requestId: string) =>
      reporting.send(`/v1/admin/revenue/${path}`, { headers: { ...asOperator.headers, 'x-request-id': requestId } });
    await ask('summary?days=7&compare=previous', requestIds[0]!);
    await ask('payments?limit=many', requestIds[1]!);
    const rows = (await readsOf(reporting)).filter(({ request_id }) => requestIds.includes(request_id));
    const row = { id: expect.any(String), occurred_at: reporting.clock.now(), network: '127.0.0.0/24', allowed: true };
    expect(rows.sort((a, b) => a.request_id.localeCompare(b.request_id))).toEqual([
      {
        ...row,
        path: '/v1/admin/revenue/summary',
        query: { days: '7', compare: 'previous' },
        request_id: requestIds[0],
      },
      { ...row, path: '/v1/admin/revenue/payments', query: { limit: 'many' }, request_id: requestIds[1] },
    ]);
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
  });

  it('writes down which payment was read, and no token that came in the address', async () => {
    const payment = '/v1/admin/revenue/payments/0194b3c4-0000-7000-8000-000000000001';
    const summary = '/v1/admin/revenue/summary';
    await reporting.send(payment, { headers: { ...asOperator.headers, 'x-request-id': 'one-payment' } });
    for (const headers of [{}, asOperator.headers]) {
      const told = { ...headers, 'x-request-id': 'a-token-in-the-query' };
      await reporting.send(`${summary}?token=${encodeURIComponent(TOKEN)}`, { headers: told });
    }
    const rows = await readsOf(reporting);
    const pathsOf = (id: string) => rows.flatMap(({ request_id, path }) => (request_id === id ? [path] : []));
    expect([pathsOf('one-payment'), pathsOf('a-token-in-the-query')]).toEqual([[payment], [summary, summary]]);
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
  });

  const addRead = (age: string) =>
    reporting.database.dataSource.query(
      `INSERT INTO operator_reads (id, occurred_at, path, query, request_id, network)
       SELECT gen_random_uuid(), now() - $1::interval, '/', '{}', 'read of ' || $1, '' FROM generate_series(1, 1_100)`,
      [age],
    );
  const countOf = async (age: string) =>
    (await readsOf(reporting)).filter(({ request_id }) => request_id === `read of ${age}`).length;

  it.each([`UPDATE operator_reads SET path = ''`, 'DELETE FROM operator_reads', 'TRUNCATE operator_reads'])(
    'takes nothing back within 90 days: %s',
    async (statement) => {
      await addRead('89 days 23 hours');
      await expect(reporting.database.dataSource.query(statement)).rejects.toThrow('append-only');
    },
  );

  it('erases what is older, a slice at a time', async () => {
    await addRead('90 days 1 hour');
    const erase = new EraseOperatorReads(reporting.database.dataSource);
    const young = await countOf('89 days 23 hours');
    while (await erase.eraseSlice()) expect(await countOf('89 days 23 hours')).toBe(young);
    expect([await countOf('90 days 1 hour'), await countOf('89 days 23 hours')]).toEqual([0, young]);
  });

  it('shows nothing that it cannot write down', async () => {
    const { dataSource } = reporting.database;
    await dataSource.query('ALTER TABLE operator_reads RENAME TO elsewhere');
    const { status, body, headers } = await reporting.read('customers');
    await dataSource.query('ALTER TABLE elsewhere RENAME TO operator_reads');
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    expect((await reporting.read('customers')).status).toBe(200);
  });
});

describe('the limit', () => {
  const reporting = presentReporting({ RATE_LIMIT_SCALE: '1', RATE_ADMIN: '3/60', TRUSTED_PROXY_HOPS: '1' });
  beforeEach(() => reporting.clock.advanceMs(60_000 - (reporting.clock.now().getTime() % 60_000)));

  const ask = (address: string, token: string, path = FIRST) =>
    reporting.send(path, { headers: { 'x-admin-token': token, 'x-forwarded-for': address } });

  it('counts reads over all routes, for each address; polls have one of their own', async () => {
    expect((await ask('192.0.2.1', TOKEN)).headers.get('ratelimit')).toBe('"admin";r=2;t=60');
    expect((await ask('192.0.2.1', TOKEN, SECOND)).headers.get('ratelimit')).toBe('"admin";r=1;t=60');
    expect((await ask('192.0.2.1', TOKEN, '/v1/admin/revenue/payments.csv')).status).toBe(200);
    const { status, headers, body } = await ask('192.0.2.1', TOKEN);
    expect([status, body.error, headers.get('retry-after'), headers.get('ratelimit-policy')]).toEqual([
      429,
      'rate_limited',
      '80',
      '"admin";q=3;w=60',
    ]);
    expect(body.details).toEqual({ scope: 'operator', limit: 3, window_seconds: 60 });
    expect((await ask('192.0.2.1', TOKEN, '/v1/admin/revenue/changes')).headers.get('ratelimit')).toBe(
      '"changes";r=2;t=60',
    );
    expect((await ask('192.0.2.2', TOKEN)).status).toBe(200);
    reporting.clock.advanceMs(80_000);
    expect((await ask('192.0.2.1', TOKEN)).status).toBe(200);
  });

  it('of wrong tokens locks no operator out: 200 of them, then the right one from the same address', async () => {
    const before = (await readsOf(reporting)).length;
    const statuses: number[] = [];
    for (let guess = 0; guess < 200; guess++) statuses.push((await ask('192.0.2.9', `guess ${guess}`)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(180).fill(429)]);
    const refused = await ask('192.0.2.9', 'one more');
    expect([refused.headers.get('ratelimit-policy'), refused.headers.get('retry-after')]).toEqual([
      '"admin_guesses";q=20;w=60',
      '63',
    ]);
    const { status, headers } = await ask('192.0.2.9', TOKEN);
    expect([status, headers.get('ratelimit')]).toEqual([200, '"admin";r=2;t=60']);
    const rows = await readsOf(reporting);
    expect([rows.length - before, rows.filter(({ allowed }) => !allowed).length]).toEqual([21, 20]);
  });

  it('keeps the network of the caller, not of the proxy, and not the address', async () => {
    await ask('198.51.100.77', TOKEN);
    const networks = (await readsOf(reporting)).map(({ network }) => network);
    expect(new Set(networks)).toEqual(new Set(['192.0.2.0/24', '198.51.100.0/24']));
  });
});
