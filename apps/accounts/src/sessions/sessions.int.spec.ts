import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { newEs256Key, type PublicEs256Key } from '@evenkeel/platform/config';
import { Accounts, type Person } from '../accounts.fixture';

const PATH = '/.well-known/jwks.json';
const [old, next] = [newEs256Key('old'), newEs256Key('next')];
const accounts = Accounts.forSuite({ JWT_KEYS: `${next},${old}` });

const refresh = (refreshToken: unknown, on = accounts) =>
  on.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
const tokenOf = async (refreshToken: string, on = accounts) =>
  String((await refresh(refreshToken, on)).body.refreshToken);
const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
const statusesOf = (...tokens: string[]) => Promise.all(tokens.map((token) => accounts.statusOf(token)));
const sessionOf = async (token: string) =>
  String((await accounts.ask('GET', '/v1/auth/me', { token })).body['sessionId']);
const list = (token: string) => accounts.ask('GET', '/v1/auth/sessions', { token });
const revokedOf = async (userId: string) =>
  (await accounts.events(userId)).filter(({ type }) => type === 'session.revoked').map(({ data }) => data);

describe('the list', () => {
  it('has the live sessions, newest first', async () => {
    const person = await accounts.person();
    const first = accounts.clock.now().toISOString();
    accounts.clock.advanceMs(60_000);
    const { token } = await accounts.signIn(person, { 'user-agent': 'phone' });
    const session = async (of: string, at: string, userAgent: unknown, current: boolean) => ({
      id: await sessionOf(of),
      createdAt: at,
      lastUsedAt: at,
      userAgent,
      network: '127.0.0.0/24',
      current,
    });
    expect((await list(token)).body).toEqual({
      sessions: [
        await session(token, accounts.clock.now().toISOString(), 'phone', true),
        await session(person.token, first, expect.any(String), false),
      ],
      count: 2,
    });
  });

  it('never has more than 20, of sign-ins at once either: the oldest end', async () => {
    const person = await accounts.person();
    accounts.clock.advanceMs(1_000);
    // As many as are hashed at once or wait for it, in two goes.
    for (let go = 0; go < 2; go++) await Promise.all(Array.from({ length: 15 }, () => accounts.signIn(person)));
    const { token } = await accounts.signIn(person);
    expect((await list(token)).body.count).toBe(20);
    expect(await accounts.statusOf(person.token)).toBe(401);
  });
});

describe('logout', () => {
  const logout = (options: object, on = accounts) => on.ask('POST', '/v1/auth/logout', options);

  it('ends the session of the access token, also when it is over, and says so to other services', async () => {
    const { id, token } = await accounts.person();
    const sessionId = await sessionOf(token);
    for (const _ of ['once', 'twice']) expect(await logout({ token })).toMatchObject({ status: 204, text: '' });
    expect(await accounts.statusOf(token)).toBe(401);
    const now = accounts.clock.now();
    const accessTokensUntil = new Date(now.getTime() + 930_000).toISOString();
    expect(await revokedOf(id)).toEqual([
      { userId: id, sessionIds: [sessionId], accessTokensUntil, revokedAt: now.toISOString() },
    ]);
  });

  it('ends the session of a refresh token, under both of its names, and takes no other form', async () => {
    const person = await accounts.person();
    const other = await accounts.signIn(person);
    const { refreshToken } = person;
    await logout({ body: { refreshToken } });
    expect(await statusesOf(person.token, other.token)).toEqual([401, 200]);
    await logout({ body: { refresh_token: other.refreshToken } });
    expect(await accounts.statusOf(other.token)).toBe(401);
    for (const [options, status] of [
      [{ body: { refreshToken } }, 204],
      [{ body: { refreshToken: 'hrr_unknown' } }, 204],
      [{}, 401],
      [{ body: { token: 'nonsense' } }, 400],
      [{ body: [] }, 400],
    ] as const)
      expect([options, (await logout(options)).status]).toEqual([options, status]);
  });

  it('is limited for an address that tries unknown tokens', async () => {
    await accounts.beside({ RATE_LOGOUT: '2/60', RATE_LIMIT_SCALE: '1' }, async (limited) => {
      const { refreshToken, token } = await limited.person({ email: 'leaving@example.com' });
      for (const tried of ['hrr_unknown', 'hrr_other'])
        expect((await logout({ body: { refreshToken: tried } }, limited)).status).toBe(204);
      expect(await logout({ body: { refreshToken } }, limited)).toMatchObject({
        status: 429,
        body: { details: { scope: 'address', limit: 2, window_seconds: 60 } },
      });
      expect((await logout({ token }, limited)).status).toBe(204);
    });
  });
});

describe('ending sessions', () => {
  const end = async (path: string, token: string) =>
    (await accounts.ask('DELETE', `/v1/auth/sessions${path}`, { token })).status;

  it('ends one of them, and none of somebody else', async () => {
    const [person, stranger] = [await accounts.person(), await accounts.person()];
    const other = await accounts.signIn(person);
    const id = await sessionOf(other.token);
    expect([await end(`/${id}`, stranger.token), await end(`/${randomUUID()}`, stranger.token)]).toEqual([404, 404]);
    expect([await end(`/${id}`, person.token), await accounts.statusOf(other.token)]).toEqual([204, 401]);
    expect([await end(`/${id}`, person.token), await end('/nonsense', person.token)]).toEqual([404, 400]);
  });

  it('ends all but the present one, or all', async () => {
    const person = await accounts.person();
    const [one, two] = [await accounts.signIn(person), await accounts.signIn(person)];
    const others = [await sessionOf(person.token), await sessionOf(one.token)].sort();
    expect(await end('?except=current', two.token)).toBe(204);
    expect((await revokedOf(person.id)).at(-1)).toMatchObject({ sessionIds: others });
    expect(await statusesOf(one.token, two.token)).toEqual([401, 200]);
    const three = await accounts.signIn(person);
    expect(await end('', three.token)).toBe(204);
    expect(await statusesOf(two.token, three.token)).toEqual([401, 200]);
    for (const query of ['?except=all', '?except=current&except=none']) expect(await end(query, three.token)).toBe(400);
    expect(await end('?except=none', three.token)).toBe(204);
    expect(await accounts.statusOf(three.token)).toBe(401);
  });
});

it('gives a new access token, and the old one goes on', async () => {
  const { token } = await accounts.person();
  accounts.clock.advanceMs(1_000);
  const { body } = await accounts.ask('POST', '/v1/auth/token/rotate', { token });
  const fresh = String(body.accessToken);
  expect(body).toMatchObject({ accessToken: fresh, tokenType: 'Bearer', expiresIn: 900 });
  expect(body).toMatchObject({ access_token: fresh, token_type: 'Bearer', expires_in: 900 });
  const { iat, exp } = claimsOf(token) as { iat: number; exp: number };
  expect(claimsOf(fresh)).toEqual({ ...claimsOf(token), iat: iat + 1, exp: exp + 1, jti: expect.any(String) });
  expect(await statusesOf(token, fresh)).toEqual([200, 200]);
});

describe('refreshing', () => {
  it('gets the next pair of the session, with the tier as it is now', async () => {
    const person = await accounts.person();
    const before = claimsOf(person.token);
    accounts.clock.advanceMs(1_000);
    await accounts.grantPremium(person.id);
    const { status, body } = await refresh(person.refreshToken);
    const { accessToken, refreshToken } = body;
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: 'Bearer', expiresIn: 900, refreshExpiresIn: 2_592_000 });
    expect(body).toMatchObject({ access_token: accessToken, token_type: 'Bearer', expires_in: 900 });
    expect(body.refresh_token).toBe(refreshToken);
    expect(refreshToken).toMatch(/^hrr_[\w-]{43}$/);
    const { iat, exp, jti } = claimsOf(accessToken);
    expect(claimsOf(accessToken)).toEqual({ ...before, tier: 'PREMIUM', iat, exp, jti });
    expect(before).toMatchObject({ iss: 'http://localhost:8080', aud: 'v1', sub: person.id, tier: 'FREE' });
  });

  it('takes the token under its other name too, and asks for one', async () => {
    const person = await accounts.person();
    const post = (body: unknown) => accounts.ask('POST', '/v1/auth/refresh', { body });
    expect((await post({ refresh_token: person.refreshToken })).status).toBe(200);
    const issue = { path: '/refreshToken', code: 'required', message: 'is required' };
    expect(await post({})).toMatchObject({ status: 400, body: { details: { issues: [issue] } } });
    expect((await post({ refreshToken: 'x'.repeat(300) })).text).not.toContain('xxx');
  });

  it('an old token ends its session, is announced, and no other session ends', async () => {
    const person = await accounts.person();
    const other = await accounts.signIn(person);
    const second = await tokenOf(person.refreshToken);
    const third = (await refresh(second)).body;
    expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: { error: 'refresh_token_reused' } });
    for (const token of [second, third.refreshToken, person.refreshToken])
      expect(await refresh(token)).toMatchObject({ status: 401, body: { error: 'invalid_refresh_token' } });
    expect([await accounts.statusOf(String(third.accessToken)), (await refresh(other.refreshToken)).status]).toEqual([
      401, 200,
    ]);
    expect((await accounts.events(person.id)).at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { userId: person.id, sessionIds: [expect.any(String)] },
    });
    const kinds = await accounts.sql<{ kind: string }>(
      `SELECT kind FROM security_events WHERE user_id = $1 AND kind NOT IN ('registered', 'sign_in')`,
      person.id,
    );
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(['refresh_reused', 'session_revoked']);
  });

  it('is limited by session, whatever becomes of the token', async () => {
    await accounts.beside({ RATE_LIMIT_SCALE: '1', RATE_REGISTER: '100/60' }, async (limited) => {
      const one = await limited.person({ email: 'one@example.com' });
      const other = await limited.person({ email: 'other@example.com' });
      const ask = (person: Person) => refresh(person.refreshToken, limited);
      const first = await ask(one);
      expect(first.headers.get('ratelimit')).toBe('"refresh";r=29;t=60');
      for (let count = 1; count < 30; count++) expect((await ask(one)).status).toBe(200);
      const refused = await ask(one);
      expect([refused.status, refused.body.details]).toEqual([429, { scope: 'user', limit: 30, window_seconds: 60 }]);
      // The guard of the other route counts in the same window.
      const rotate = async ({ token }: Person) =>
        (await limited.ask('POST', '/v1/auth/token/rotate', { token })).status;
      expect([await rotate(one), await rotate(other), (await ask(other)).status]).toEqual([429, 200, 200]);
    });
  });

  it('goes on when the keys that derive tokens rotate', async () => {
    const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const withKeys = <Result>(keys: string, work: (on: Accounts) => Promise<Result>) =>
      accounts.beside({ REFRESH_TOKEN_KEYS: keys }, work);
    const { refreshToken: first } = await withKeys(`old:${old}`, (on) => on.person({ email: 'rotating@example.com' }));
    const second = await withKeys(`old:${old}`, (on) => tokenOf(first, on));
    const third = await withKeys(`next:${next}`, (on) => tokenOf(second, on));
    // The key of a successor that exists is that of the row.
    await withKeys(`next:${next},old:${old}`, async (on) => {
      expect(await tokenOf(second, on)).toBe(third);
      expect(await tokenOf(third, on)).not.toBe('undefined');
    });
  });
});

it('the keys are published, and nothing that could sign', async () => {
  const { status, headers, body } = await accounts.send(PATH);
  const published = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), use: 'sig', alg: 'ES256' };
  expect([status, body]).toEqual([200, { keys: ['next', 'old'].map((kid) => ({ ...published, kid })) }]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const known = { 'if-none-match': headers.get('etag')! };
  expect((await accounts.send(PATH, { headers: known })).status).toBe(304);
  const asks = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
  const preflight = await accounts.send(PATH, { method: 'OPTIONS', headers: asks });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const [head, claims, signature = ''] = (await accounts.person()).token.split('.');
  const [jwk] = body.keys as [PublicEs256Key];
  const key = { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
});

it('the keys verify a token of a replica that has not been rolled out yet, or of a quarter of an hour ago', async () => {
  const email = 'before@example.com';
  const { token } = await accounts.beside({ JWT_KEYS: old }, (before) => before.person({ email }));
  expect(await accounts.statusOf(token)).toBe(200);
});
