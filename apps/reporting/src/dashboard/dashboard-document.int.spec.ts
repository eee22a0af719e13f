import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reporting } from '../revenue/reporting.fixture';
import { dashboardDocument } from './dashboard-document';

const ROOT = join(__dirname, '../../../..');
const HEAVIEST_BYTES = 120_000;

const reporting = Reporting.forSuite();

const get = (init: RequestInit = {}) => fetch(`${reporting.running.url}/dashboard`, init);
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64');

describe('GET /dashboard', () => {
  it('is one document that is not shared by caches, indexed or framed', async () => {
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  it('runs only its own script, and sends requests to its own origin alone', async () => {
    const answer = await get();
    const html = await answer.text();
    expect(html.match(/<(style|script)\b[^>]*>/g)).toEqual(['<style>', '<script>']);
    expect(html).not.toMatch(/ style="| on\w+="/);
    const [, style, script] = /<style>([^]*)<\/style>[^]*<script>([^]*)<\/script>/.exec(html)!;
    expect(answer.headers.get('content-security-policy')!.split('; ')).toEqual([
      `default-src 'none'`,
      `style-src 'sha256-${digestOf(style!)}'`,
      `script-src 'sha256-${digestOf(script!)}'`,
      `connect-src 'self'`,
      `img-src 'self' data:`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
    ]);
  });

  it('goes over the wire in less than half of its bytes, and once', async () => {
    const [plain, br, gzip] = await Promise.all(
      ['identity', 'br', 'gzip'].map((encoding) => get({ headers: { 'accept-encoding': encoding } })),
    );
    const bytes = (answer: Response | undefined) => Number(answer!.headers.get('content-length'));
    expect(Math.max(bytes(br), bytes(gzip))).toBeLessThan(0.4 * bytes(plain));
    expect(br!.headers.get('vary')).toContain('Accept-Encoding');
    const known = { 'accept-encoding': 'br', 'if-none-match': br!.headers.get('etag')! };
    const again = await get({ headers: known });
    expect([again.status, again.headers.get('content-length')]).toEqual([304, null]);
    expect(again.headers.get('content-security-policy')).toBe(br!.headers.get('content-security-policy'));
  });

  it('is small, self-contained, and holds no secret', async () => {
    const html = await (await get()).text();
    expect(Buffer.byteLength(html)).toBeLessThan(HEAVIEST_BYTES);
    expect(html).not.toMatch(/\b(src|href)="(?!data:|#)/);
    expect(html).not.toMatch(/@import|url\((?!#)/);
  });
});

it('is the same document once it is built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-dashboard-'));
  cpSync(__dirname, join(folder, 'src/dashboard'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

  run(join(ROOT, 'tools/build.mjs'));
  const printIt = `
    const { dashboardDocument } = require('./dist/dashboard/dashboard-document.js');
    process.stdout.write(dashboardDocument());`;
  const built = run('-e', printIt);
  rmSync(folder, { recursive: true });

  expect(built).toBe(dashboardDocument());
}, 30_000);
