import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { routesOf } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { samplePart } from './sample-part';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Files for crawlers and browsers, which nobody calls as an API; `/.well-known/api-catalog` and pages lead to them. */
const FILES = [
  '/.well-known/ai-catalog.json',
  '/.well-known/api-catalog',
  '/.well-known/security.txt',
  '/.well-known/x402',
  '/docs',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/favicon.ico',
  '/favicon.svg',
  '/mcp/server-card',
  '/robots.txt',
];
/** The offer, always: no operation that could succeed, so the operation of POST speaks of it. */
const PROBES = PAID_ENDPOINTS.map(({ path }) => path);

it('the document names every route that answers, and no other', () => {
  const unnamed = [...FILES, ...PROBES].map((path) => `GET ${path}`);
  const documented = Object.entries(samplePart().paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routesOf(gateway.app)).toEqual([...documented, ...unnamed].sort());
});

it.each(PAID_ENDPOINTS)('the operation of $path speaks of GET', ({ path }) => {
  expect(samplePart().paths[path]!.post!.description).toMatch(/GET and HEAD .* answer 402 .*, always/);
});
