import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { programArguments } from '@evenkeel/services/programs';
import { Client } from 'pg';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { anEvent, invoiceObject, sendEvent, signed, WEBHOOK_SETTINGS, type EventOf } from './provider-events.fixture';
import { expectInTime, triesFor } from './refused-tries.fixture';

jest.setTimeout(120_000);

const HUNG_MS = sized(3_000, 20_000);
const RECOVERED_MS = 5_000;

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
});
afterEach(async () => expect(await auditBilling(billing.database.dataSource)).toEqual([]));
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
  // Of its own: a connection of the service may not be idle in a transaction for so long.
  const holder = new Client({ connectionString: billing.database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [customer]);
  expectInTime(await triesFor(0, () => sendEvent(billing, event)));
  await holder.end();
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

/** What stands between a service and its database, and can fall silent. */
class SilentLine {
  private readonly ends: [app: Socket, database: Socket][] = [];
  private isSilent = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(databaseUrl: string): Promise<SilentLine> {
    const url = new URL(databaseUrl);
    const address = { host: url.hostname, port: Number(url.port) };
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = new SilentLine(server, url.href);
    server.on('connection', (app) => line.connect(app, createConnection(address)));
    return line;
  }

  /** From now on the database takes everything and says nothing. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.ends.flat()) socket.unpipe().pause();
  }

  /** What was said meanwhile is heard now. */
  speak(): void {
    this.isSilent = false;
    for (const [app, database] of this.ends) app.pipe(database).pipe(app);
  }

  close(): void {
    for (const socket of this.ends.flat()) socket.destroy();
    this.server.close();
  }

  private connect(app: Socket, database: Socket): void {
    this.ends.push([app, database]);
    for (const socket of [app, database]) socket.on('error', () => undefined);
    if (this.isSilent) app.pause();
    else app.pipe(database).pipe(app);
  }
}

it(`a database that says nothing for ${HUNG_MS / 1_000} s: 503 in time at every try, and the next one counts`, async () => {
  const line = await SilentLine.to(billing.database.url);
  const behind = await Billing.start({ ...WEBHOOK_SETTINGS, DATABASE_URL: line.url });
  const { event, userId } = firstPayment();
  line.fallSilent();
  const tries = await triesFor(HUNG_MS, () => sendEvent(behind, event));
  expectInTime(tries);
  line.speak();
  await eventually(async () => expect((await sendEvent(behind, event)).status).toBe(200), { withinMs: RECOVERED_MS });
  expect(await told(userId)).toEqual(['invoice.paid', 'subscription.changed']);
  await behind.close();
  line.close();
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
