import { randomUUID } from 'node:crypto';
import { Accounts, type Person } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const me = (token: string) => accounts.ask('GET', '/v1/auth/me', { token });
const list = (token: string) => accounts.ask('GET', '/v1/auth/sessions', { token });
const idsOf = async (token: string) =>
  ((await list(token)).body.sessions as { id: string; current: boolean }[]).map(({ id }) => id);
const sessionOf = async (token: string) => String((await me(token)).body.sessionId);

/** One more session of somebody. */
async function signIn({ email, password }: Person, headers?: Record<string, string>) {
  const { body } = await accounts.ask('POST', '/v1/auth/login', { body: { email, password }, headers });
  return body as { accessToken: string; refreshToken: string };
}

const revokedOf = async (userId: string) =>
  (await accounts.events(userId)).filter(({ type }) => type === 'session.revoked').map(({ data }) => data);

describe('the list', () => {
  it('has the live sessions, newest first', async () => {
    const person = await accounts.person();
    accounts.clock.advanceMs(60_000);
    const phone = await signIn(person, { 'user-agent': 'phone' });
    const { status, body } = await list(phone.accessToken);
    const [now, before] = [0, 60_000].map((ago) => new Date(accounts.clock.now().getTime() - ago).toISOString());
    expect([status, body]).toEqual([
      200,
      {
        sessions: [
          {
            id: await sessionOf(phone.accessToken),
            createdAt: now,
            lastUsedAt: now,
            userAgent: 'phone',
            network: '127.0.0.0/24',
            current: true,
          },
          {
            id: await sessionOf(person.token),
            createdAt: before,
            lastUsedAt: before,
            userAgent: expect.any(String),
            network: '127.0.0.0/24',
            current: false,
          },
        ],
        count: 2,
      },
    ]);
  });

  it('never has more than 20, of sign-ins at once either: the oldest end', async () => {
    const person = await accounts.person();
    accounts.clock.advanceMs(1_000);
    // As many as are hashed at once or wait for it, in two goes.
    for (let go = 0; go < 2; go++) await Promise.all(Array.from({ length: 15 }, () => signIn(person)));
    const { accessToken } = await signIn(person);
    expect(await idsOf(accessToken)).toHaveLength(20);
    // The oldest.
    expect((await me(person.token)).status).toBe(401);
  });
});

describe('logout', () => {
  it('ends the session of the access token, and says so to other services', async () => {
    const person = await accounts.person();
    const sessionId = await sessionOf(person.token);
    const logout = () => accounts.ask('POST', '/v1/auth/logout', { token: person.token });
    expect(await logout()).toMatchObject({ status: 204, text: '' });
    expect((await me(person.token)).status).toBe(401);
    expect((await logout()).status).toBe(204);
    const now = accounts.clock.now();
    const accessTokensUntil = new Date(now.getTime() + 930_000).toISOString();
    expect(await revokedOf(person.id)).toEqual([
      { userId: person.id, sessionIds: [sessionId], accessTokensUntil, revokedAt: now.toISOString() },
    ]);
  });

  it('ends the session of a refresh token, under both of its names', async () => {
    const person = await accounts.person();
    const other = await signIn(person);
    const logout = (body: object) => accounts.ask('POST', '/v1/auth/logout', { body });
    expect((await logout({ refreshToken: person.refreshToken })).status).toBe(204);
    expect((await me(person.token)).status).toBe(401);
    expect((await me(other.accessToken)).status).toBe(200);
    expect((await logout({ refresh_token: other.refreshToken })).status).toBe(204);
    expect((await me(other.accessToken)).status).toBe(401);
    for (const refreshToken of [person.refreshToken, 'hrr_unknown'])
      expect((await logout({ refreshToken })).status).toBe(204);
  });

  it('is limited for an address that tries unknown tokens', async () => {
    const limited = await Accounts.start({ RATE_LOGOUT: '2/60', RATE_LIMIT_SCALE: '1' });
    try {
      const { refreshToken, token } = await limited.person();
      const logout = (options: object) => limited.ask('POST', '/v1/auth/logout', options);
      const statuses = [];
      for (const tried of ['hrr_unknown', 'hrr_other', refreshToken])
        statuses.push((await logout({ body: { refreshToken: tried } })).status);
      expect(statuses).toEqual([204, 204, 429]);
      const { body } = await logout({ body: { refreshToken } });
      expect(body.details).toEqual({ scope: 'address', limit: 2, window_seconds: 60 });
      expect((await logout({ token })).status).toBe(204);
    } finally {
      await limited.close();
    }
  });

  it('takes no other form', async () => {
    const logout = (options: object) => accounts.ask('POST', '/v1/auth/logout', options);
    expect((await logout({})).body.error).toBe('unauthorized');
    expect((await logout({ token: 'nonsense' })).body.error).toBe('unauthorized');
    expect((await logout({ body: { token: 'nonsense' } })).body.error).toBe('validation_failed');
    expect((await logout({ body: [] })).status).toBe(400);
  });
});

describe('ending sessions', () => {
  const end = (path: string, token: string) => accounts.ask('DELETE', `/v1/auth/sessions${path}`, { token });

  it('ends one of them', async () => {
    const person = await accounts.person();
    const other = await signIn(person);
    const id = await sessionOf(other.accessToken);
    expect((await end(`/${id}`, person.token)).status).toBe(204);
    expect((await me(other.accessToken)).status).toBe(401);
    expect((await end(`/${id}`, person.token)).status).toBe(404);
  });

  it('treats that of somebody else as one that is missing', async () => {
    const [person, stranger] = [await accounts.person(), await accounts.person()];
    const foreign = await end(`/${await sessionOf(stranger.token)}`, person.token);
    const missing = await end(`/${randomUUID()}`, person.token);
    expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
    expect((await me(stranger.token)).status).toBe(200);
    expect(await end('/nonsense', person.token)).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
  });

  it('ends all but the present one, or all', async () => {
    const person = await accounts.person();
    const [one, two] = [await signIn(person), await signIn(person)];
    const others = [await sessionOf(person.token), await sessionOf(one.accessToken)].sort();
    expect((await end('?except=current', two.accessToken)).status).toBe(204);
    expect((await revokedOf(person.id)).at(-1)).toMatchObject({ sessionIds: others });
    expect([(await me(one.accessToken)).status, (await me(two.accessToken)).status]).toEqual([401, 200]);
    const three = await signIn(person);
    expect((await end('', three.accessToken)).status).toBe(204);
    expect((await me(two.accessToken)).status).toBe(401);
    expect((await end('?except=none', three.accessToken)).status).toBe(204);
    expect((await me(three.accessToken)).status).toBe(401);
    const four = await signIn(person);
    for (const query of ['?except=all', '?except=current&except=none'])
      expect((await end(query, four.accessToken)).status).toBe(400);
    expect((await me(four.accessToken)).status).toBe(200);
  });
});

it('gives a new access token, and the old one goes on', async () => {
  const person = await accounts.person();
  accounts.clock.advanceMs(1_000);
  const { status, body } = await accounts.ask('POST', '/v1/auth/token/rotate', { token: person.token });
  expect([status, body]).toEqual([
    200,
    {
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
      access_token: body.accessToken,
      token_type: 'Bearer',
      expires_in: 900,
    },
  ]);
  const fresh = String(body.accessToken);
  expect(fresh).not.toBe(person.token);
  expect(await sessionOf(fresh)).toBe(await sessionOf(person.token));
  const timesOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { iat: number; auth_time: number };
  expect(timesOf(fresh).iat).toBe(timesOf(person.token).iat + 1);
  expect(timesOf(fresh).auth_time).toBe(timesOf(person.token).auth_time);
});
