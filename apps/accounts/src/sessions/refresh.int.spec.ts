import { Accounts, type Person } from '../accounts.fixture';

const accounts = Accounts.forSuite();

const refresh = (refreshToken: unknown, on = accounts) =>
  on.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
const tokenOf = async (refreshToken: string, on = accounts) =>
  String((await refresh(refreshToken, on)).body.refreshToken);
const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

it('gets the next pair of the session, with the tier as it is now', async () => {
  const person = await accounts.person();
  const before = claimsOf(person.token);
  accounts.clock.advanceMs(1_000);
  await accounts.grantPremium(person.id);
  const { status, body } = await refresh(person.refreshToken);
  const { accessToken, refreshToken } = body;
  expect([status, body]).toEqual([
    200,
    {
      ...{ accessToken, tokenType: 'Bearer', expiresIn: 900, refreshToken, refreshExpiresIn: 2_592_000 },
      ...{ access_token: accessToken, token_type: 'Bearer', expires_in: 900, refresh_token: refreshToken },
    },
  ]);
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

it('has one successor for 20 requests at once, 20 times', async () => {
  for (let round = 0; round < 20; round++) {
    const { refreshToken } = await accounts.person();
    const successors = await Promise.all(Array.from({ length: 20 }, () => tokenOf(refreshToken)));
    expect(new Set(successors).size).toBe(1);
    expect((await refresh(successors[0])).status).toBe(200);
  }
});

it('is limited by session, whatever becomes of the token', async () => {
  await accounts.beside({ RATE_LIMIT_SCALE: '1', RATE_REGISTER: '100/60' }, async (limited) => {
    const [one, other] = [
      await limited.person({ email: 'one@example.com' }),
      await limited.person({ email: 'other@example.com' }),
    ];
    const ask = (person: Person) => refresh(person.refreshToken, limited);
    const first = await ask(one);
    expect(first.headers.get('ratelimit')).toBe('"refresh";r=29;t=60');
    for (let count = 1; count < 30; count++) expect((await ask(one)).status).toBe(200);
    const refused = await ask(one);
    expect([refused.status, refused.body.details]).toEqual([429, { scope: 'user', limit: 30, window_seconds: 60 }]);
    // The guard of the other route counts in the same window.
    const rotate = async ({ token }: Person) => (await limited.ask('POST', '/v1/auth/token/rotate', { token })).status;
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
