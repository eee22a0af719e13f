import { newEs256Key, verifiedClaims, type PublicEs256Key } from '@evenkeel/platform/config';
import { Accounts } from '../accounts.fixture';

const PATH = '/.well-known/jwks.json';
const [old, next] = [newEs256Key('old'), newEs256Key('next')];
const accounts = Accounts.forSuite({ JWT_KEYS: `${next},${old}` });

it('are published, and nothing that could sign', async () => {
  const { status, headers, body } = await accounts.send(PATH);
  const published = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), use: 'sig', alg: 'ES256' };
  expect([status, body]).toEqual([200, { keys: ['next', 'old'].map((kid) => ({ ...published, kid })) }]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const known = { 'if-none-match': headers.get('etag')! };
  expect((await accounts.send(PATH, { headers: known })).status).toBe(304);
  const { token, id } = await accounts.person();
  expect(verifiedClaims(token, body.keys as PublicEs256Key[], 'at+jwt')).toMatchObject({ sub: id });
});

it('verify a token of a replica that has not been rolled out yet, or of a quarter of an hour ago', async () => {
  const email = 'before@example.com';
  const { token } = await accounts.beside({ JWT_KEYS: old }, (before) => before.person({ email }));
  expect(await accounts.statusOf(token)).toBe(200);
});
