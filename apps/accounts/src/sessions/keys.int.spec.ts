import { createPublicKey } from 'node:crypto';
import { newEs256Key, verifiedClaims, type PublicEs256Key } from '@evenkeel/platform/config';
import { Accounts } from '../accounts.fixture';

const PATH = '/.well-known/jwks.json';
const [old, next] = [newEs256Key('old'), newEs256Key('next')];

it('are published, and nothing that could sign', async () => {
  const accounts = await Accounts.start({ JWT_KEYS: `${next},${old}` });
  try {
    const { status, text, headers, body } = await accounts.send(PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const published = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) };
    expect(body).toEqual({
      keys: ['next', 'old'].map((kid) => ({ ...published, kid, use: 'sig', alg: 'ES256' })),
    });
    expect(text).not.toContain('"d"');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('ratelimit-policy')).toMatch(/^"discovery"/);
    const known = { 'if-none-match': headers.get('etag')! };
    expect((await accounts.send(PATH, { headers: known })).status).toBe(304);
    expect((await accounts.send(PATH, { method: 'HEAD' })).headers.get('etag')).toBe(headers.get('etag'));

    const { keys } = body as unknown as { keys: PublicEs256Key[] };
    const { token, id } = await accounts.person();
    expect(verifiedClaims(token, keys, 'at+jwt')).toMatchObject({ sub: id });
    expect(createPublicKey({ key: { ...keys[0] }, format: 'jwk' }).type).toBe('public');
    // Of a replica that has not been rolled out yet, or of a quarter of an hour ago.
    const before = await Accounts.start({ JWT_KEYS: old, DATABASE_URL: accounts.database.url });
    const { token: older } = await before.person({ email: 'before@example.com' });
    await before.close();
    expect((await accounts.ask('GET', '/v1/auth/me', { token: older })).status).toBe(200);
  } finally {
    await accounts.close();
  }
});
