import { eventually } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { OtherService } from './other-service.fixture';

/** Within a second, with the factor for a busy machine. */
const SOON = { withinMs: 3_000 };

let accounts: Accounts;
let other: OtherService;
beforeAll(async () => {
  accounts = await Accounts.start();
  other = await OtherService.start({
    ...{ jwksUrl: `${accounts.running.url}/.well-known/jwks.json` },
    ...{ transport: accounts.broker, clock: accounts.clock },
  });
});
afterAll(async () => {
  await other.close();
  await accounts.close();
});

const isRefused = (token: string) =>
  eventually(
    async () => expect(await other.me(token)).toMatchObject({ status: 401, body: { error: 'unauthorized' } }),
    SOON,
  );
const logout = (token: string) => accounts.ask('POST', '/v1/auth/logout', { token });
const sessionOf = async (token: string) => String((await accounts.ask('GET', '/v1/auth/me', { token })).body.sessionId);

it('knows who has a token of accounts', async () => {
  const person = await accounts.person();
  const { status, body } = await other.me(person.token);
  expect([status, body]).toEqual([200, { userId: person.id, sessionId: await sessionOf(person.token) }]);
});

it('refuses the tokens of a session that has ended, and those of no other', async () => {
  const [person, stranger] = [await accounts.person(), await accounts.person()];
  expect((await other.me(person.token)).status).toBe(200);
  expect((await logout(person.token)).status).toBe(204);
  await isRefused(person.token);
  expect((await other.me(stranger.token)).status).toBe(200);
});

it('refuses the tokens of a stolen family, 20 times', async () => {
  const refresh = (refreshToken: string) => accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
  for (let round = 0; round < 20; round++) {
    const person = await accounts.person();
    const second = String((await refresh(person.refreshToken)).body.refreshToken);
    const third = await refresh(second);
    expect((await refresh(person.refreshToken)).body.error).toBe('refresh_token_reused');
    const newest = String(third.body.accessToken);
    expect((await accounts.ask('GET', '/v1/auth/me', { token: newest })).status).toBe(401);
    await isRefused(newest);
  }
});

it('refuses all tokens of a deleted user', async () => {
  const { token, email, password } = await accounts.person();
  const more = await accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
  expect((await accounts.ask('DELETE', '/v1/account', { token, body: { password } })).status).toBe(202);
  await Promise.all([isRefused(token), isRefused(String(more.body.accessToken))]);
});

it('remembers a session only until its last token has ended by itself', async () => {
  const early = await accounts.person();
  const sessionId = await sessionOf(early.token);
  await logout(early.token);
  await isRefused(early.token);
  expect(await other.remembered()).toContain(sessionId);
  accounts.clock.advanceMs(931_000);
  const late = await accounts.person();
  await logout(late.token);
  await isRefused(late.token);
  await eventually(async () => expect(await other.remembered()).not.toContain(sessionId), SOON);
  expect((await other.me(early.token)).status).toBe(401);
});
