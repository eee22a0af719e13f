import { startGateway, type Gateway } from '../gateway.fixture';
import { KEYS_PATH, publishedKeys } from './read-receipt.fixture';

const secrets = [1, 2].map((byte) => Buffer.alloc(32, byte));

let gateway: Gateway;
beforeAll(async () => {
  const [one, two] = secrets.map((secret) => secret.toString('base64'));
  gateway = await startGateway({ settings: { RECEIPT_KEYS: `2026-11:${one},2026-10:${two}` } });
});
afterAll(() => gateway.close());

it('are published, and nothing that could sign', async () => {
  const { status, text, headers } = await gateway.send(KEYS_PATH);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const published = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), use: 'sig', alg: 'ES256' };
  expect(await publishedKeys(gateway)).toEqual([
    { ...published, kid: '2026-11' },
    { ...published, kid: '2026-10' },
  ]);
  for (const secret of secrets) expect(text).not.toContain(secret.toString('base64url'));
});

it('are stored by caches and not sent twice', async () => {
  const { headers } = await gateway.send(KEYS_PATH);
  const etag = headers.get('etag')!;
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  expect((await gateway.send(KEYS_PATH, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await gateway.send(KEYS_PATH, { method: 'HEAD' })).headers.get('etag')).toBe(etag);
});
