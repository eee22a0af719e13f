import { PAID_ENDPOINTS } from './agent/paid-endpoints';
import { ownerOf, ROUTES } from './routes';

it.each([
  ...['/', '/health', '/v1/capabilities', '/.well-known/receipt-jwks.json', '/v1/habitsanalyze', '/nothing/here'].map(
    (path) => [path, 'agent-gateway'],
  ),
  ...PAID_ENDPOINTS.map(({ path }) => [path, 'agent-gateway']),
  ...['/.well-known/jwks.json', '/v1/account', '/v1/habits', '/v1/habits/0194a1c2/logs'].map((path) => [
    path,
    'accounts',
  ]),
  ['/v1/billing/webhook/stripe', 'billing'],
  ['/v1/admin/revenue/summary', 'reporting'],
])('%s: %s', (path, app) => expect(ownerOf(path)).toBe(app));

it('each prefix is of one service', () => {
  const prefixes = ROUTES.flatMap((route) => route.prefixes);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
