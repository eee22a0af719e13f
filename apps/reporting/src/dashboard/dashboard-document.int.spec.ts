import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningHttp } from '@evenkeel/platform/http';
import { DashboardDocument } from './dashboard-document';
import { servePage } from './page-server.fixture';

const ROOT = join(__dirname, '../../../..');
const HEAVIEST_BYTES = 120_000;

let running: RunningHttp;
beforeAll(async () => {
  running = await servePage();
}, 30_000);
afterAll(() => running.close());

const get = (init: RequestInit = {}) => fetch(`${running.url}/dashboard`, init);
const nonceOf = (policy: string | null) => /'nonce-([^']+)'/.exec(policy!)![1]!;

describe('GET /dashboard', () => {
  it('is one document that is not cached, indexed or framed', async () => {
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  it('runs only its own script, and sends requests to its own origin alone', async () => {
    const policy = (await get()).headers.get('content-security-policy');
    const nonce = nonceOf(policy);
    expect(policy!.split('; ')).toEqual([
      `default-src 'none'`,
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `connect-src 'self'`,
      `img-src data:`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
    ]);
  });

  it('has a nonce for each answer, on its one style and its one script', async () => {
    const answers = await Promise.all([get(), get()]);
    const nonces = answers.map(({ headers }) => nonceOf(headers.get('content-security-policy')));
    expect(nonces[0]).not.toBe(nonces[1]);
    for (const [index, answer] of answers.entries()) {
      const html = await answer.text();
      expect(html.match(/<(style|script)\b[^>]*>/g)).toEqual([
        `<style nonce="${nonces[index]}">`,
        `<script nonce="${nonces[index]}">`,
      ]);
      expect(html).not.toMatch(/\{\{nonce\}\}| style="| on\w+="/);
    }
  });

  it('is small, self-contained, and holds no secret', async () => {
    const html = await (await get()).text();
    expect(Buffer.byteLength(html)).toBeLessThan(HEAVIEST_BYTES);
    expect(html).not.toMatch(/\b(src|href)="(?!data:|#)/);
    expect(html).not.toMatch(/@import|url\((?!#)/);
  });

  it('answers HEAD like GET, without a body', async () => {
    const [full, head] = [await get(), await get({ method: 'HEAD' })];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('x-robots-tag')).toBe('noindex');
    expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
  });

  it('takes no other method', async () => {
    const { status, headers } = await get({ method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

it('is the same document once it is built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-dashboard-'));
  cpSync(__dirname, join(folder, 'src/dashboard'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

  run(join(ROOT, 'tools/build.mjs'));
  const printIt = `
    require('reflect-metadata');
    const { DashboardDocument } = require('./dist/dashboard/dashboard-document.js');
    const { html, nonce } = new DashboardDocument().withNonce();
    process.stdout.write(html.replaceAll(nonce, 'nonce'));`;
  const built = run('-e', printIt);
  rmSync(folder, { recursive: true });

  const { html, nonce } = new DashboardDocument().withNonce();
  expect(built).toBe(html.replaceAll(nonce, 'nonce'));
}, 30_000);
