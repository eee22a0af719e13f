import { limitedRoutes, routesOf } from '@evenkeel/platform/testing';
import { Reporting, TOKEN } from '../revenue/reporting.fixture';
import { reportingPart } from './reporting-part';

let reporting: Reporting;
beforeAll(async () => {
  // One call in a window, whatever the limit.
  reporting = await Reporting.start({ RATE_LIMIT_SCALE: '0.001' });
});
afterAll(() => reporting.close());

it('the document names every route that answers, and no other', async () => {
  const documented = Object.entries((await reportingPart()).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routesOf(reporting.app)).toEqual(documented.sort());
});

it('every route is limited', async () => {
  const routes = routesOf(reporting.app);
  const call = (method: string, path: string) => reporting.send(path, { method, headers: { 'x-admin-token': TOKEN } });
  expect(await limitedRoutes(routes, call, () => reporting.clock.advanceMs(120_000))).toEqual(routes);
});
