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

const accounts = Accounts.forSuite({ JWT_KEYS: keys });
let forger: Forger;
let person: Person;
let forged: ForgedToken[];
beforeAll(async () => {
  forger = await Forger.start();
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
afterAll(() => forger.close());

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

it('takes the token in the header alone, with its scheme and nothing else', async () => {
  const { token } = person;
  const bearer = `Bearer ${token}`;
  const authorizations = [token, `Basic ${token}`, 'Bearer', `${bearer} ${token}`, `${bearer}, ${bearer}`];
  const cookie = `access_token=${token}`;
  for (const headers of [...authorizations.map((authorization) => ({ authorization })), { cookie }])
    expect(await accounts.send(`/v1/auth/me?access_token=${token}`, { headers })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
});

it('is valid for 15 minutes and half a minute of difference between clocks', async () => {
  const { token } = await accounts.person();
  accounts.clock.advanceMs(929_000);
  expect(await accounts.statusOf(token)).toBe(200);
  accounts.clock.advanceMs(1_000);
  expect(await accounts.statusOf(token)).toBe(401);
});
