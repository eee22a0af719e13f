import { limitedRoutes, routesOf } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { accountsPart } from './accounts-part';

/** For browsers, and for local runs. */
const PAGES = ['GET /dev/mails', 'GET /v1/auth/email/verify', 'GET /v1/auth/password/reset'];

// One call in a window, whatever the limit.
const WINDOWS = { RATE_MAIL: '1/60', RATE_IMPORT: '1/60', RATE_EXPORT: '1/60' };
const accounts = Accounts.forSuite({ RATE_LIMIT_SCALE: '0.001', ACCESS_TTL_SECONDS: '3600', ...WINDOWS });

it('the document names every route that answers, and no other', async () => {
  const documented = Object.entries((await accountsPart()).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routesOf(accounts.app)).toEqual([...documented, ...PAGES].sort());
});

it('every route is limited', async () => {
  const routes = routesOf(accounts.app);
  const goOn = async (): Promise<void> => {
    accounts.clock.advanceMs(120_000);
    await accounts.sql('UPDATE sessions SET revoked_at = NULL');
  };
  const limited: string[] = [];
  // With two tokens: one would end before all windows have.
  for (const half of [routes.slice(0, 24), routes.slice(24)]) {
    await goOn();
    const headers = { authorization: `Bearer ${(await accounts.person()).token}` };
    // A sign-in of the last minutes would be enough to delete the account.
    accounts.clock.advanceMs(301_000);
    limited.push(...(await limitedRoutes(half, (method, path) => accounts.send(path, { method, headers }), goOn)));
  }
  expect(limited).toEqual(routes);
});
