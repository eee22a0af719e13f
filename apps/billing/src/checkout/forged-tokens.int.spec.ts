import { randomUUID } from 'node:crypto';
import { routesOf } from '@evenkeel/platform/testing';
import { TokenIssuer } from '@evenkeel/platform/testing/service';
import { Billing } from '../billing.fixture';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start();
});
afterAll(() => billing.close());

const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function forgedTokens(): Promise<[string, string | null][]> {
  const { token } = billing.person();
  const [head = '', claims = '', signature = ''] = token.split('.');
  const other = await TokenIssuer.start(billing.clock, 'http://localhost:8080');
  const elsewhere = await TokenIssuer.start(billing.clock, 'https://elsewhere.example');
  const [ofAnotherKey, ofAnotherIssuer] = [other.token(randomUUID()), elsewhere.token(randomUUID())];
  await Promise.all([other.close(), elsewhere.close()]);
  return [
    ['none', null],
    ['of another key under our name', ofAnotherKey],
    ['of another issuer', ofAnotherIssuer],
    ['without a signature', `${head}.${claims}.`],
    ['of no algorithm', `${encoded({ ...decoded(head), alg: 'none' })}.${claims}.`],
    ['of another algorithm', `${encoded({ ...decoded(head), alg: 'HS256' })}.${claims}.${signature}`],
    ['of another type', `${encoded({ ...decoded(head), typ: 'JWT' })}.${claims}.${signature}`],
    ['of somebody else', `${head}.${encoded({ ...decoded(claims), sub: randomUUID() })}.${signature}`],
    ['that lasts longer', `${head}.${encoded({ ...decoded(claims), exp: 9_999_999_999 })}.${signature}`],
    ['garbage', 'e30.e30.e30'],
  ];
}

it('no route of people takes a forged token, and every one takes a good one', async () => {
  const forged = await forgedTokens();
  const open = ['/plans', '/webhook/'];
  const routes = routesOf(billing.app).filter((route) => !open.some((path) => route.includes(path)));
  expect(routes).toHaveLength(6);
  for (const route of routes) {
    const [method, path] = route.split(' ') as [string, string];
    for (const [name, token] of forged) {
      const { status, body, headers } = await billing.ask(method, path, { ...(token !== null && { token }) });
      expect({ route, name, status, error: body.error, asks: headers.get('www-authenticate') }).toEqual({
        ...{ route, name, status: 401, error: 'unauthorized', asks: 'Bearer error="invalid_token"' },
      });
    }
    expect((await billing.ask(method, path, { token: billing.person().token })).status).not.toBe(401);
  }
});

it('a token is over after a quarter of an hour', async () => {
  const { token } = billing.person();
  billing.clock.advanceMs(931_000);
  expect((await billing.ask('GET', '/v1/billing/me', { token })).status).toBe(401);
});
