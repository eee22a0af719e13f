import { Accounts, type Person } from '../accounts.fixture';

const DAY_MS = 86_400_000;
const ROUNDS = 20;
const AT_ONCE = 20;

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const refresh = (refreshToken: unknown) => accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
const me = (token: string) => accounts.ask('GET', '/v1/auth/me', { token });
const tokensOf = ({ body }: Awaited<ReturnType<typeof refresh>>) =>
  body as { accessToken: string; refreshToken: string };
const familyOf = ({ id }: Person) =>
  accounts.database.dataSource.query<{ used: boolean; revoked: boolean; child: boolean }[]>(
    `SELECT t.used_at IS NOT NULL AS used, t.revoked_at IS NOT NULL AS revoked, t.parent_id IS NOT NULL AS child
     FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $1 ORDER BY child`,
    [id],
  );

it('gets the next pair of the session', async () => {
  const person = await accounts.person();
  accounts.clock.advanceMs(1_000);
  const { status, body } = await refresh(person.refreshToken);
  expect([status, body]).toEqual([
    200,
    {
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
      refreshToken: expect.stringMatching(/^hrr_[\w-]{43}$/),
      refreshExpiresIn: 2_592_000,
      access_token: body.accessToken,
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: body.refreshToken,
    },
  ]);
  expect(body.refreshToken).not.toBe(person.refreshToken);
  const [before, after] = await Promise.all([me(person.token), me(String(body.accessToken))]);
  expect([before.status, after.body.sessionId]).toEqual([200, before.body.sessionId]);
});

it('takes the token under its other name too, and asks for one', async () => {
  const person = await accounts.person();
  const post = (body: unknown) => accounts.ask('POST', '/v1/auth/refresh', { body });
  expect((await post({ refresh_token: person.refreshToken })).status).toBe(200);
  const issue = { path: '/refreshToken', code: 'required', message: 'is required' };
  expect(await post({})).toMatchObject({ status: 400, body: { details: { issues: [issue] } } });
  expect((await post({ refreshToken: 7 })).body).toMatchObject({ error: 'validation_failed' });
  expect(JSON.stringify((await post({ refreshToken: 'x'.repeat(300) })).body)).not.toContain('xxx');
});

describe('a token that is sent again', () => {
  it('gets the same successor while that was never used, however late', async () => {
    const person = await accounts.person();
    const first = tokensOf(await refresh(person.refreshToken));
    accounts.clock.advanceMs(DAY_MS);
    const again = await refresh(person.refreshToken);
    expect([again.status, tokensOf(again).refreshToken]).toEqual([200, first.refreshToken]);
    expect(await me(tokensOf(again).accessToken)).toMatchObject({ status: 200 });
    expect(await familyOf(person)).toHaveLength(2);
  });

  it('ends the session once its successor was used, even within ten seconds', async () => {
    const person = await accounts.person();
    const { email, password } = person;
    const other = await accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
    const second = tokensOf(await refresh(person.refreshToken));
    const third = tokensOf(await refresh(second.refreshToken));
    expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: { error: 'refresh_token_reused' } });

    for (const { refreshToken } of [second, third, person])
      expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { error: 'invalid_refresh_token' } });
    expect([(await me(third.accessToken)).status, (await refresh(other.body.refreshToken)).status]).toEqual([401, 200]);
    expect(await accounts.events(person.id)).toMatchObject([
      { type: 'user.registered' },
      { type: 'session.revoked', data: { userId: person.id, sessionIds: [expect.any(String)] } },
    ]);
    const kinds = await accounts.database.dataSource.query<{ kind: string }[]>(
      `SELECT kind FROM security_events WHERE user_id = $1 AND session_id IS NOT NULL AND kind NOT IN ('registered', 'sign_in') ORDER BY kind`,
      [person.id],
    );
    expect(kinds).toEqual([{ kind: 'refresh_reused' }, { kind: 'session_revoked' }]);
  });
});

it(`has one successor for ${AT_ONCE} requests at once, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const person = await accounts.person();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => refresh(person.refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    const successors = new Set(answers.map((answer) => tokensOf(answer).refreshToken));
    expect(successors.size).toBe(1);
    expect(await familyOf(person)).toEqual([
      { used: true, revoked: false, child: false },
      { used: false, revoked: false, child: true },
    ]);
    const [successor] = successors;
    expect((await refresh(successor)).status).toBe(200);
  }
});

it('lets a session live for 30 days from its last refresh, and 90 in all', async () => {
  const person = await accounts.person();
  let { refreshToken } = person;
  for (const [days, left] of [
    [29, 30],
    [29, 30],
    [29, 3],
  ] as const) {
    accounts.clock.advanceMs(days * DAY_MS);
    const { body } = await refresh(refreshToken);
    expect(body.refreshExpiresIn).toBe((left * DAY_MS) / 1_000);
    refreshToken = String(body.refreshToken);
  }
  accounts.clock.advanceMs(3 * DAY_MS);
  expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { error: 'invalid_refresh_token' } });

  const idle = await accounts.person();
  accounts.clock.advanceMs(30 * DAY_MS);
  expect((await refresh(idle.refreshToken)).body.error).toBe('invalid_refresh_token');
  expect((await me(idle.token)).status).toBe(401);
});

it('tells the tier as it is now', async () => {
  const person = await accounts.person();
  await accounts.grantPremium(person.id);
  const [, claims] = tokensOf(await refresh(person.refreshToken)).accessToken.split('.');
  expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
    iss: 'http://localhost:8080',
    aud: 'v1',
    sub: person.id,
    tier: 'PREMIUM',
    auth_time: Math.floor(accounts.clock.now().getTime() / 1_000),
  });
});

it('is limited by session, whatever becomes of the token', async () => {
  const limited = await Accounts.start({ RATE_LIMIT_SCALE: '1', RATE_REGISTER: '100/60' });
  try {
    const [one, other] = [await limited.person(), await limited.person()];
    const ask = (person: Person) =>
      limited.ask('POST', '/v1/auth/refresh', { body: { refreshToken: person.refreshToken } });
    const answers = [];
    for (let count = 0; count < 30; count++) answers.push(await ask(one));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers[0]!.headers.get('ratelimit')).toBe('"refresh";r=29;t=60');
    const refused = await ask(one);
    expect([refused.status, refused.body.details]).toEqual([429, { scope: 'user', limit: 30, window_seconds: 60 }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // The guard of the other route counts in the same window.
    const rotate = (token: string) => limited.ask('POST', '/v1/auth/token/rotate', { token });
    expect((await rotate(one.token)).status).toBe(429);
    expect([(await ask(other)).status, (await rotate(other.token)).status]).toEqual([200, 200]);
  } finally {
    await limited.close();
  }
});

it('goes on when the keys that derive tokens rotate', async () => {
  const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const before = await Accounts.start({ REFRESH_TOKEN_KEYS: `old:${old}` });
  const { url: DATABASE_URL } = before.database;
  const between = await Accounts.start({ DATABASE_URL, REFRESH_TOKEN_KEYS: `next:${next},old:${old}` });
  const after = await Accounts.start({ DATABASE_URL, REFRESH_TOKEN_KEYS: `next:${next}` });
  try {
    const ask = (on: Accounts, refreshToken: string) => on.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
    const person = await before.person();
    const second = tokensOf(await ask(before, person.refreshToken));
    // Its key is the old one, by the row.
    expect(tokensOf(await ask(between, person.refreshToken)).refreshToken).toBe(second.refreshToken);
    const third = tokensOf(await ask(after, second.refreshToken));
    expect(tokensOf(await ask(between, second.refreshToken)).refreshToken).toBe(third.refreshToken);
  } finally {
    for (const one of [after, between, before]) await one.close();
  }
});
