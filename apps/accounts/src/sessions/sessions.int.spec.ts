import { randomUUID } from 'node:crypto';
import { Accounts } from '../accounts.fixture';

const accounts = Accounts.forSuite();

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
      ...{ id: await sessionOf(of), createdAt: at, lastUsedAt: at, userAgent, network: '127.0.0.0/24', current },
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
  expect(body).toEqual({
    ...{ accessToken: fresh, tokenType: 'Bearer', expiresIn: 900 },
    ...{ access_token: fresh, token_type: 'Bearer', expires_in: 900 },
  });
  const claimsOf = (of: string) =>
    JSON.parse(Buffer.from(of.split('.')[1]!, 'base64url').toString()) as { iat: number; exp: number; jti: string };
  const { iat, exp } = claimsOf(token);
  expect(claimsOf(fresh)).toEqual({ ...claimsOf(token), iat: iat + 1, exp: exp + 1, jti: expect.any(String) });
  expect(await statusesOf(token, fresh)).toEqual([200, 200]);
});
