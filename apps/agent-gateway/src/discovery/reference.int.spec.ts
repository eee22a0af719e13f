import { createHash } from 'node:crypto';
import { ERROR_CODES } from '@evenkeel/contracts';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { terms } from '../payments/payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const nonceIn = ({ headers }: Reply) => /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)?.[1];

describe('GET /docs', () => {
  it('is a page that runs only its own scripts', async () => {
    const page = await gateway.send('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const nonce = nonceIn(page)!;
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const active = page.text.match(/<(script|link rel="stylesheet")[^>]*>/g)!;
    expect(active).toHaveLength(3);
    for (const tag of active) expect(tag).toContain(`nonce="${nonce}"`);
    expect(page.text).toContain("url: '/openapi.json'");
  });

  it('has a new nonce every time, and is not stored', async () => {
    const [one, two] = [await gateway.send('/docs'), await gateway.send('/docs')];
    expect(nonceIn(one)).not.toBe(nonceIn(two));
    expect(one.headers.get('cache-control')).toBe('no-store');
  });

  it('asks no other address for anything', async () => {
    const { text } = await gateway.send('/docs');
    const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      expect(address).toMatch(/^\//);
      expect([address, (await gateway.send(address)).status]).toEqual([address, 200]);
    }
  });
});

describe('GET /docs/errors', () => {
  it('explains every code under an anchor of its name, and what to do', async () => {
    const { status, headers, text } = await gateway.send('/docs/errors');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const sections = [...text.matchAll(/<h2 id="(\w+)">(\d+) \1<\/h2>\n<p>\S.*<\/p>\n<p><strong>\S.*<\/strong><\/p>/g)];
    expect(sections.map(([, code, httpStatus]) => [code, Number(httpStatus)])).toEqual(
      Object.entries(ERROR_CODES).map(([code, meaning]) => [code, meaning.status]),
    );
  });

  it('is where the type of a problem document leads', async () => {
    const headers = { accept: 'application/problem+json' };
    for (const path of ['/nothing', '/agent/v1/nothing', '/agent/v1/pricing?wallet=x']) {
      const { body } = await gateway.send(path, { headers });
      const [page, anchor] = String(body['type']).replace(terms.baseUrl, '').split('#');
      expect((await gateway.send(page!)).text).toContain(`<h2 id="${anchor}">`);
      expect(anchor).toBe(body.error);
    }
  });

  it('has a policy that its own style fits, and no other', async () => {
    const { headers, text } = await gateway.send('/docs/errors');
    const [, style] = /<style>([^]*)<\/style>/.exec(text)!;
    const digest = createHash('sha256').update(style!).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`; style-src 'sha256-${digest}'; connect-src`);
    expect(headers.get('content-security-policy')).not.toContain('script-src');
  });
});

it.each([
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])('%s is stored by caches', async (path, type) => {
  const { status, headers, text } = await gateway.send(path);
  expect([status, headers.get('content-type'), text.length > 100_000]).toEqual([200, type, true]);
  expect(headers.get('content-encoding')).toBe('gzip');
  // Everything that the page loads is less than a third of what it was without compression.
  expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 3);
  const known = { 'if-none-match': headers.get('etag')! };
  expect((await gateway.send(path, { headers: known })).status).toBe(304);
});
