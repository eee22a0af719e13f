import { PAID_ENDPOINTS } from './agent/paid-endpoints';
import { ownerOf, ROUTES } from './routes';

describe('ownerOf', () => {
  it.each([
    ['/', 'agent-gateway'],
    ['/health', 'agent-gateway'],
    ['/agent/v1/pricing', 'agent-gateway'],
    ['/v1/capabilities', 'agent-gateway'],
    ['/.well-known/capabilities', 'agent-gateway'],
    ['/.well-known/receipt-jwks.json', 'agent-gateway'],
    ['/.well-known/jwks.json', 'accounts'],
    ['/dev/mails', 'accounts'],
    ['/v1/auth/login', 'accounts'],
    ['/v1/account', 'accounts'],
    ['/v1/habits', 'accounts'],
    ['/v1/habits/0194a1c2/logs', 'accounts'],
    ['/v1/billing/webhook/stripe', 'billing'],
    ['/v1/admin/revenue/summary', 'reporting'],
    ['/dashboard', 'reporting'],
    ['/v1/habitsanalyze', 'agent-gateway'],
    ['/v1/unknown', 'agent-gateway'],
    ['/nothing/here', 'agent-gateway'],
  ])('%s: %s', (path, app) => expect(ownerOf(path)).toBe(app));

  it('sends every paid call to the gateway', () => {
    expect(new Set(PAID_ENDPOINTS.map(({ path }) => ownerOf(path)))).toEqual(new Set(['agent-gateway']));
  });
});

describe('ROUTES', () => {
  it('gives each prefix to one service', () => {
    const prefixes = ROUTES.flatMap((route) => route.prefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });
});
