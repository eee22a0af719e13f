import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Stripe from 'stripe';
import type { StripeSettings } from './development-stripe';

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(args: string[], env: Record<string, string> = {}): ChildProcess & { output: Promise<string> } {
  const child = spawn(
    process.execPath,
    ['--conditions=@evenkeel/source', '--require', '@swc-node/register', join(__dirname, 'main.ts'), ...args],
    { cwd: join(__dirname, '../../..'), env: { PATH: process.env.PATH, ...env } },
  );
  started.push(child);
  return Object.assign(child, { output: firstOutput(child) });
}

async function firstOutput({ stdout, stderr }: ChildProcess): Promise<string> {
  const [text] = (await Promise.race([once(stdout!, 'data'), once(stderr!, 'data')])) as [Buffer];
  return text.toString();
}

it('says where it is, does over HTTP what its methods do, and ends on SIGTERM', async () => {
  const child = start([
    '--host',
    'localhost',
    '--port',
    '0',
    '--control',
    '--json',
    '--webhook',
    'http://127.0.0.1:9/webhook',
  ]);
  const settings = JSON.parse(await child.output) as StripeSettings & { ready: boolean; url: string };
  expect(settings).toMatchObject({ ready: true, STRIPE_API_BASE: settings.url });
  const { hostname, port } = new URL(settings.url);
  expect(hostname).toBe('localhost');
  const client = new Stripe(settings.STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http' });
  const session = await client.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: settings.STRIPE_PRICE_MONTHLY, quantity: 1 }],
    success_url: 'http://localhost/paid',
  });
  const control = async (command: unknown) => {
    const response = await fetch(`${settings.url}/control`, { method: 'POST', body: JSON.stringify(command) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  expect(await control({ method: 'mode', args: ['lost'] })).toMatchObject({ status: 200 });
  expect(await control({ method: 'pay', args: [session.id, 'good'] })).toMatchObject({ status: 200 });
  expect(await client.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'complete' });
  const later = new Date(Date.now() + 40 * 86_400_000).toISOString();
  expect(await control({ method: 'advance', args: [later] })).toMatchObject({ status: 200 });
  expect((await client.invoices.list({ status: 'paid' })).data).toHaveLength(2);
  expect(await control({ method: 'close' })).toMatchObject({ status: 400, body: { error: 'bad_command' } });
  expect(await control({ method: 'pay', args: ['cs_none'] })).toMatchObject({ status: 400 });
  expect(await control({ method: 'advance', args: ['soon'] })).toMatchObject({ status: 400 });

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 30_000);

it('prints what to export, and has no control unless asked for', async () => {
  const output = await start(['--port', '0']).output;
  expect(output).toContain('export STRIPE_PRICE_YEARLY=price_');
  expect(output).toContain('http://localhost:8080/v1/billing/webhook/stripe');
  const [, url] = /STRIPE_API_BASE=(\S+)/.exec(output)!;
  expect((await fetch(`${url}/control`, { method: 'POST', body: '{}' })).status).toBe(404);
}, 30_000);

it('refuses production', async () => {
  const child = start([], { NODE_ENV: 'production' });
  const exit = once(child, 'exit');
  expect(await child.output).toContain('NODE_ENV must not be production');
  expect(await exit).toEqual([1, null]);
}, 30_000);
