import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { END_WITH_PARENT, programArguments } from '@evenkeel/services/programs';
import type { Person } from '../billing.fixture';
import { Shop } from './shop.fixture';

jest.setTimeout(120_000);

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
  // A process has the time of the machine.
  shop.clock.set(new Date());
});
afterAll(() => Shop.closeAll());

/** Billing as a process that dies at a step. */
async function startProgram(step: string) {
  const { PATH, HOME } = process.env;
  const { database, tokens } = shop.billing;
  const args = ['--require', END_WITH_PARENT, ...programArguments('apps/billing/src/main.ts')];
  const program = spawn(process.execPath, args, {
    cwd: join(__dirname, '../../../..'),
    env: {
      ...{ PATH, HOME, PORT: '0', INTERNAL_PORT: '0', CRASH_AT: `billing:${step}`, ...shop.stripe.settings() },
      ...{ DATABASE_URL: database.url, PUBLIC_BASE_URL: 'http://localhost:8080', JWKS_URL: tokens.jwksUrl },
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  for await (const line of createInterface(program.stdout!)) {
    const said = JSON.parse(line) as { ready?: boolean; url: string };
    if (said.ready) return { program, url: said.url };
  }
  throw new Error('the program ended before it was ready');
}

/** Somebody whose checkout broke off. */
async function killedAt(step: string): Promise<Person> {
  const { program, url } = await startProgram(step);
  const ended = once(program, 'close');
  const person = shop.billing.person();
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ plan: 'premium_monthly' });
  await expect(fetch(`${url}/v1/billing/checkout`, { method: 'POST', headers, body })).rejects.toThrow();
  expect((await ended)[1]).toBe('SIGKILL');
  return person;
}

it.each(['customer_made', 'session_made'])(
  'killed at %s, the repeat leaves one customer and one page',
  async (step) => {
    const person = await killedAt(step);
    const { status, body: page } = await shop.open(person);
    expect(status).toBe(201);
    expect(shop.made(person, 'customer.created')).toHaveLength(1);
    expect(await shop.checkouts(person)).toMatchObject([{ session_id: page.session_id, closed_at: null }]);
    await shop.stripe.pay(String(page.session_id));
    expect(shop.subscriptionsOf(person)).toHaveLength(1);
  },
);

it('killed before it remembers a customer, the provider forgets them with the person who leaves', async () => {
  const person = await killedAt('customer_made');
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  const at = shop.clock.now();
  const data: UserDeleted = { userId: person.id, receiptId: randomUUID(), deletedAt: at.toISOString() };
  await shop.billing.accounts.publish({ event: UserDeleted, key: person.id, data, at });
  await eventually(async () => expect(shop.made(person, 'customer.deleted')).toHaveLength(1), { withinMs: 30_000 });
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  await eventually(async () => expect(await shop.checkouts(person)).toEqual([]), { withinMs: 30_000 });
});
