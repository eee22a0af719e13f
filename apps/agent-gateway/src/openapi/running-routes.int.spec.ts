import { PAID_ENDPOINTS, type OpenApiDocument } from '@evenkeel/contracts';
import { limitedRoutes, routesOf } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { gatewayPart } from './gateway-part';

let gateway: Gateway;
let part: OpenApiDocument;
let documented: { route: string; isLimited: boolean }[];
beforeAll(async () => {
  // One call in a window, whatever the limit.
  gateway = await startGateway({ settings: { RATE_LIMIT_SCALE: '0.001' } });
  part = await gatewayPart();
  documented = Object.entries(part.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      isLimited: '429' in responses,
    })),
  );
});
afterAll(() => gateway.close());

/** Files for crawlers and browsers, which are not called as an API; `/.well-known/api-catalog` and pages lead to them. */
const FILES = [
  '/.well-known/ai-catalog.json',
  '/.well-known/api-catalog',
  '/.well-known/security.txt',
  '/.well-known/x402',
  '/docs',
  '/docs/errors',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/favicon.ico',
  '/favicon.svg',
  '/mcp/server-card',
  '/robots.txt',
];
it('the document names every route that answers, and no other', () => {
  const unnamed = FILES.map((path) => `GET ${path}`);
  expect(routesOf(gateway.app)).toEqual([...documented.map(({ route }) => route), ...unnamed].sort());
});

it('every route is limited that should be: files, and what the document says', async () => {
  const ping = { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', headers: { 'content-type': 'application/json' } };
  const call = (method: string, path: string) =>
    gateway.send(path.replace(':nonce', `0x${'ab'.repeat(32)}`), { method, ...(path === '/mcp' && ping) });
  const limited = await limitedRoutes(routesOf(gateway.app), call, () => gateway.clock.advanceMs(120_000));
  const expected = documented.filter(({ isLimited }) => isLimited).map(({ route }) => route);
  expect(limited).toEqual([...expected, ...FILES.map((path) => `GET ${path}`)].sort());
});

it.each(PAID_ENDPOINTS)('the operation of $path speaks of GET', ({ path }) => {
  expect(part.paths[path]!.post!.description).toMatch(/GET and HEAD .* answer 402 .*, always/);
});
