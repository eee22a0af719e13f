import { PAID_ENDPOINTS, SERVICE } from '@evenkeel/contracts';
import { DataSource } from 'typeorm';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('GET /', () => {
  it('says what is for sale and where to read on', async () => {
    const { status, headers, body } = await gateway.send('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body).toMatchObject({
      service: 'habit-reliability-analytics',
      version: SERVICE.version,
      payment: { protocol: 'x402', x402_version: 1, network: 'eip155:8453' },
      links: { pricing: '/agent/v1/pricing', openapi: '/openapi.json', health: '/health' },
    });
    expect(body.paid_endpoints).toEqual(
      PAID_ENDPOINTS.map(({ path, priceMicros, capabilities }) => ({
        method: 'POST',
        path,
        price_usd: priceMicros / 1_000_000,
        capability: capabilities[0],
      })),
    );
  });

  it('is not sent again to a caller that has it', async () => {
    const etag = (await gateway.send('/')).headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await gateway.send('/', { headers: { 'if-none-match': known } });
      expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    expect((await gateway.send('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const [get, head] = [await gateway.send('/'), await gateway.send('/', { method: 'HEAD' })];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });

  it('takes no other method', async () => {
    const { status, headers } = await gateway.send('/', { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('GET /health', () => {
  it('says that the process answers, and since when', async () => {
    gateway.clock.advanceMs(61_500);
    const { status, headers, body } = await gateway.send('/health');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      status: 'ok',
      service: 'habit-reliability-analytics',
      version: SERVICE.version,
      time: '2026-01-31T12:01:01.500Z',
      uptime_seconds: 61,
    });
  });
});

describe('their limit', () => {
  it('is one for both, of the address, and said on every answer', async () => {
    const limited = await startGateway({
      besides: gateway,
      settings: { RATE_DISCOVERY: '3/60', RATE_LIMIT_SCALE: '1', TRUSTED_PROXY_HOPS: '1' },
    });
    const get = (path: string, address = '192.0.2.1') =>
      limited.send(path, { headers: { 'x-forwarded-for': address } });
    const limitOf = ({ headers }: Reply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
    expect(limitOf(await get('/'))).toEqual(['"discovery";q=3;w=60', '"discovery";r=2;t=60']);
    for (const path of ['/health', '/']) expect((await get(path)).status).toBe(200);

    const { status, headers, body } = await get('/health');
    expect([status, headers.get('retry-after'), body.error]).toEqual([429, '60', 'rate_limited']);
    expect(body.details).toEqual({ scope: 'address', limit: 3, window_seconds: 60 });
    expect((await get('/', '192.0.2.2')).status).toBe(200);
    await limited.close();
  });
});

describe('readiness', () => {
  it('follows the database, and liveness does not', async () => {
    const ready = () => fetch(`${gateway.running.internalUrl}/health/ready`);
    expect((await ready()).status).toBe(200);
    const refusing = jest.spyOn(gateway.app.get(DataSource), 'query').mockRejectedValue(new Error('gone'));
    expect((await ready()).status).toBe(503);
    expect((await gateway.send('/health')).status).toBe(200);
    refusing.mockRestore();
    expect((await ready()).status).toBe(200);
  });
});
