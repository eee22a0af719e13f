import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { programArguments } from '@evenkeel/services/programs';
import { Billing } from '../billing.fixture';
import { anEvent, invoiceObject, sendEvent, signed, WEBHOOK_SETTINGS, type EventOf } from './provider-events.fixture';

jest.setTimeout(120_000);

/** Three times what is promised. */
const ANSWERED_WITHIN_MS = 9_000;

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
});
afterAll(() => billing.close());

let count = 0;
/** The first that is heard of somebody: it links, gives access, and is money. */
function firstPayment(): { event: EventOf; userId: string; customer: string } {
  count += 1;
  const [userId, customer] = [billing.person().id, `cus_${count}`];
  const invoice = invoiceObject({ id: `in_${count}`, customer, subscription: `sub_${count}`, userId });
  return { event: anEvent('invoice.paid', '2026-01-31T12:00:00Z', invoice), userId, customer };
}
const told = async (userId: string) => (await billing.events(userId)).map(({ type }) => type).sort();

it('a lock that lasts: 503 in time, and the next try counts', async () => {
  const { event, userId, customer } = firstPayment();
  const runner = billing.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [customer]);
  const begun = performance.now();
  const { status, headers, body } = await sendEvent(billing, event);
  expect(performance.now() - begun).toBeLessThan(ANSWERED_WITHIN_MS);
  await runner.rollbackTransaction();
  await runner.release();
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  expect(await told(userId)).toEqual([]);
  expect((await sendEvent(billing, event)).body).toEqual({ received: true, applied: true, reason: null });
  expect(await told(userId)).toEqual(['invoice.paid', 'subscription.changed']);
});

it('a database that is gone: 503, and the next try counts', async () => {
  const line = await DatabaseLine.to(billing.database.url);
  const cut = await Billing.start({ ...WEBHOOK_SETTINGS, DATABASE_URL: line.url });
  const { event, userId } = firstPayment();
  line.cut();
  const { status, body } = await sendEvent(cut, event);
  expect([status, body.error]).toEqual([503, 'service_unavailable']);
  await cut.close();
  expect((await sendEvent(billing, event)).body.applied).toBe(true);
  expect(await told(userId)).toEqual(['invoice.paid', 'subscription.changed']);
});

it('a database that hangs: 503 in time, and the next try counts', async () => {
  const { hostname: host, port } = new URL(billing.database.url);
  const sockets: Socket[] = [];
  const server = createServer((app) => {
    const database = createConnection({ host, port: Number(port) });
    sockets.push(app, database);
    for (const socket of [app, database]) socket.on('error', () => undefined);
    app.pipe(database).pipe(app);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(billing.database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const behind = await Billing.start({ ...WEBHOOK_SETTINGS, DATABASE_URL: url.href });
  const { event, userId } = firstPayment();
  // From now on it takes everything and says nothing.
  for (const socket of sockets) socket.unpipe().pause();
  const begun = performance.now();
  const { status } = await sendEvent(behind, event);
  expect(performance.now() - begun).toBeLessThan(ANSWERED_WITHIN_MS);
  expect(status).toBe(503);
  for (const socket of sockets) socket.destroy();
  server.close();
  await behind.close();
  expect((await sendEvent(billing, event)).body.applied).toBe(true);
  expect(await told(userId)).toEqual(['invoice.paid', 'subscription.changed']);
});

/** Billing as a process that dies at a step. */
async function startProgram(step: string) {
  const { PATH, HOME } = process.env;
  const settings = {
    ...{ DATABASE_URL: billing.database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...WEBHOOK_SETTINGS },
    ...{ PORT: '0', INTERNAL_PORT: '0', CRASH_AT: `billing:${step}` },
  };
  const program = spawn(process.execPath, programArguments('apps/billing/src/main.ts'), {
    cwd: join(__dirname, '../../../..'),
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  for await (const line of createInterface(program.stdout)) {
    const said = JSON.parse(line) as { ready?: boolean; url: string };
    if (said.ready) return { url: said.url, ended };
  }
  throw new Error('the program ended before it was ready');
}

it.each([
  ['event_stored', null],
  ['before_commit', null],
  ['after_commit', 'duplicate_event'],
])('killed at %s, an event counts once: sent again it is %s', async (step, reason) => {
  const { event, userId } = firstPayment();
  const { url, ended } = await startProgram(step);
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signed(body, new Date()) };
  await expect(fetch(`${url}/v1/billing/webhook/stripe`, { method: 'POST', body, headers })).rejects.toThrow();
  expect((await ended)[1]).toBe('SIGKILL');
  expect((await sendEvent(billing, event)).body).toEqual({ received: true, applied: reason === null, reason });
  expect(await told(userId)).toEqual(['invoice.paid', 'subscription.changed']);
});
