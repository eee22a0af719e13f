import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { es256KeysOf, newEs256Key } from '@evenkeel/platform/config';
import {
  bearerRoutes,
  forgedTokens,
  Forger,
  takenForgeries,
  type BearerRoute,
  type ForgedToken,
} from '@evenkeel/platform/testing/service';
import { Accounts, type Person } from '../accounts.fixture';
import { accountsPart } from '../openapi/accounts-part';

/** Of a session that is over it answers 204, and changes nothing. */
const takesAnySessionOfOurs = ({ path }: BearerRoute, { name }: ForgedToken) =>
  path === '/v1/auth/logout' && name.endsWith('of nobody');

const keys = newEs256Key('test');
const { receipts } = JSON.parse(readFileSync(join(__dirname, '../../../../docs/receipts/vectors.json'), 'utf8')) as {
  receipts: { receipt: string }[];
};

let forger: Forger;
let accounts: Accounts;
let person: Person;
let forged: ForgedToken[];
beforeAll(async () => {
  [forger, accounts] = await Promise.all([Forger.start(), Accounts.start({ JWT_KEYS: keys })]);
  person = await accounts.person();
  const { body } = await accounts.send('/.well-known/jwks.json');
  const known = {
    token: person.token,
    publicKeys: body.keys as Record<string, unknown>[],
    now: accounts.clock.now(),
    evilUrl: forger.url,
    document: receipts[0]!.receipt,
  };
  forged = forgedTokens(known, es256KeysOf(keys).signing);
});
afterAll(async () => {
  forger.close();
  await accounts.close();
});

it('no route takes any of them, and nobody is asked about them', async () => {
  const routes = bearerRoutes(await accountsPart());
  expect(routes.length).toBeGreaterThanOrEqual(30);
  const all = routes
    .flatMap((route) => forged.map((one) => ({ route, forged: one })))
    .filter(({ route, forged: one }) => !takesAnySessionOfOurs(route, one));
  expect((await takenForgeries(accounts.running.url, all)).slice(0, 3)).toEqual([]);
  expect(forger.asked).toEqual([]);
  // The forger's list begins with a valid token.
  expect((await accounts.ask('GET', '/v1/auth/me', { token: person.token })).status).toBe(200);
});

it.each([
  ['no scheme', (token: string) => token],
  ['another scheme', (token: string) => `Basic ${token}`],
  ['a scheme alone', () => 'Bearer'],
  ['two tokens', (token: string) => `Bearer ${token} ${token}`],
  ['a list', (token: string) => `Bearer ${token}, Bearer ${token}`],
])('takes no header with %s', async (_, headerOf) => {
  const headers = { authorization: headerOf(person.token) };
  const { status, body } = await accounts.ask('GET', '/v1/auth/me', { headers });
  expect([status, body.error]).toEqual([401, 'unauthorized']);
});

it('looks for the token in the header alone', async () => {
  const { token } = person;
  expect((await accounts.send(`/v1/auth/me?access_token=${token}`)).status).toBe(401);
  expect((await accounts.send('/v1/auth/me', { headers: { cookie: `access_token=${token}` } })).status).toBe(401);
});

it('is valid for 15 minutes and half a minute of difference between clocks', async () => {
  const { token } = await accounts.person();
  const me = () => accounts.ask('GET', '/v1/auth/me', { token });
  accounts.clock.advanceMs(929_000);
  expect((await me()).status).toBe(200);
  accounts.clock.advanceMs(1_000);
  expect((await me()).status).toBe(401);
});
