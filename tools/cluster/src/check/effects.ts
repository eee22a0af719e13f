import { audit } from '@evenkeel/audit';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import type { Ledger } from '@evenkeel/facilitator';
import type { DevelopmentStripe } from '@evenkeel/stripe';
import { Client } from 'pg';
import type { Cluster } from '../processes/cluster';
import type { Agents } from '../traffic/agents';
import type { People } from '../traffic/people';
import type { Traffic } from '../traffic/traffic';
import type { Webhooks } from '../traffic/webhooks';

type Rows = Record<string, unknown>[];

/** Whatever is lost, double or contradicts itself after traffic through a cluster: a sentence each; nothing when all is well. */
export async function wrongEffects(cluster: Cluster, traffic: Traffic): Promise<string[]> {
  const { databases } = cluster.backing;
  const clients = {} as Record<AppName, Client>;
  try {
    for (const app of APP_NAMES) {
      clients[app] = new Client({ connectionString: databases[app] });
      await clients[app].connect();
    }
    const read: Read = async (app, sql) => (await clients[app].query<Record<string, unknown>>(sql)).rows;
    const { facilitator, stripe } = cluster.backing;
    return [
      ...(await audited(read)),
      ...(await contradictions(read, { ledger: facilitator.ledger(), stripe }, traffic)),
    ];
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.end()));
  }
}

/** Rows of the database of a service. */
export type Read = (app: AppName, sql: string) => Promise<Rows>;

/** The own lists of those who are not ours. */
export interface Told {
  ledger: Pick<Ledger, 'settlements' | 'payments'>;
  stripe: Pick<DevelopmentStripe, 'events' | 'subscriptions'>;
}

/** What callers were answered. */
export interface Done {
  agents: Pick<Agents, 'paid' | 'unanswered' | 'redeemed'>;
  people: Pick<People, 'ids' | 'logged' | 'analyses'>;
  webhooks: Pick<Webhooks, 'taken'>;
}

/** Where the databases, the lists of others and the answers do not say the same. */
export async function contradictions(read: Read, told: Told, done: Done): Promise<string[]> {
  return [
    ...(await payments(read, told, done)),
    ...(await credits(read, done)),
    ...(await people(read, done)),
    ...(await providerEvents(read, told, done)),
  ];
}

/** The promises, and that nothing waits any more. */
async function audited(read: Read): Promise<string[]> {
  const found: string[] = [];
  for (const app of APP_NAMES) {
    const query = ((sql: string) => read(app, sql)) as Parameters<typeof audit>[0]['query'];
    for (const { promise, what, row } of await audit({ query }))
      found.push(`${app}: ${promise}: ${what} ${JSON.stringify(row)}`);
  }
  for (const app of ['agent-gateway', 'accounts', 'billing'] as const) {
    const [row] = await read(app, 'SELECT count(*)::integer AS waiting FROM audit.outbox WHERE published_at IS NULL');
    if (row!['waiting'] !== 0) found.push(`${app}: ${String(row!['waiting'])} events were not published`);
  }
  for (const app of ['accounts', 'billing', 'reporting'] as const) {
    const [row] = await read(app, 'SELECT count(*)::integer AS parked FROM audit.parked');
    if (row!['parked'] !== 0) found.push(`${app}: ${String(row!['parked'])} events are parked`);
  }
  return found;
}

/** Answered payments, the ledger, reporting and the facilitator's own list are the same set. */
async function payments(read: Read, { ledger: others }: Told, { agents }: Done): Promise<string[]> {
  const { settlements, payments: calls } = others;
  const ledger = await read(
    'agent-gateway',
    'SELECT id, lower(nonce) AS nonce, state, amount_atomic::text AS value FROM audit.payments',
  );
  const copies = await read(
    'reporting',
    'SELECT payment_id AS id, status, amount_atomic::text AS value FROM audit.payments',
  );
  // What became of the others is a failed request, and not known to who paid.
  const isAnswered = (nonce: string): boolean => !agents.unanswered.has(nonce);
  const settled = ledger.filter(({ state }) => state === 'settled');
  return [
    ...different(
      'answered payments',
      agents.paid,
      'the ledger',
      settled.map(({ nonce }) => String(nonce)).filter(isAnswered),
    ),
    ...different(
      'answered payments',
      agents.paid,
      'the facilitator',
      settlements.map(({ nonce }) => nonce.toLowerCase()).filter(isAnswered),
    ),
    ...different(
      'the ledger',
      settled.map(keyOf),
      'reporting',
      copies.filter(({ status }) => status === 'settled').map(keyOf),
    ),
    ...ledger
      .filter(({ state }) => state !== 'settled')
      .map((row) => `a payment is not settled: ${JSON.stringify(row)}`),
    ...calls
      .filter(({ settle }) => settle > 1)
      .map(({ nonce, settle }) => `${nonce} was asked to be settled ${settle} times`),
  ];
}

function keyOf({ id, value }: Record<string, unknown>): string {
  return `${String(id)} ${String(value)}`;
}

async function credits(read: Read, { agents }: Done): Promise<string[]> {
  const spent = 'SELECT count(*)::integer AS spent FROM audit.credits WHERE redeemed_at IS NOT NULL';
  const [ledger, copy] = [await read('agent-gateway', spent), await read('reporting', spent)];
  return [
    ...unequal('credits that were answered', agents.redeemed.size, 'the ledger', ledger[0]!['spent']),
    ...unequal('credits that were answered', agents.redeemed.size, 'reporting', copy[0]!['spent']),
  ];
}

/** Each log that was answered is there once, and each analysis was counted once. */
async function people(read: Read, { people: they }: Done): Promise<string[]> {
  const users = they.ids.map((id) => `'${id}'`).join(',');
  const logs = await read('accounts', `SELECT client_id::text AS id FROM habit_logs WHERE user_id IN (${users})`);
  const [usage] = await read(
    'accounts',
    `SELECT coalesce(sum(used), 0)::integer AS used FROM audit.usage WHERE user_id IN (${users})`,
  );
  return [
    ...different(
      'answered logs',
      they.logged,
      'accounts',
      logs.map(({ id }) => String(id)),
    ),
    ...unequal('answered analyses', they.analyses, 'accounts', usage!['used']),
  ];
}

/** What billing has stored is what the provider has told, and subscriptions stand as the provider says. */
async function providerEvents(read: Read, { stripe }: Told, { webhooks }: Done): Promise<string[]> {
  // What billing has read by itself is there too; what it ignores is not.
  const rows = await read('billing', `SELECT id, type FROM audit.provider_events WHERE id NOT LIKE 'read:%'`);
  const stored = rows.map(({ id }) => String(id));
  const types = new Set(rows.map(({ type }) => type));
  const told = stripe.events.filter(({ type }) => types.has(type)).map(({ id }) => id);
  const undelivered = stripe.events.filter(({ pending_webhooks: pending }) => pending > 0);
  const ours = (
    await read('billing', 'SELECT subscription_id AS id, lower(status) AS status FROM audit.subscriptions')
  ).map(standing);
  return [
    ...different('events of the provider', [...told, ...webhooks.taken], 'billing', stored),
    ...undelivered.map(({ id, type }) => `the event ${id} (${type}) was not delivered`),
    ...different('subscriptions of the provider', stripe.subscriptions.map(standing), 'billing', ours),
  ];
}

function standing({ id, status }: { id?: unknown; status?: unknown }): string {
  return `${String(id)} ${String(status)}`;
}

/** Values that only one of two lists has, and those that one has twice. */
function different(what: string, some: Iterable<string>, where: string, others: readonly string[]): string[] {
  const [expected, found] = [[...some], new Set(others)];
  const wanted = new Set(expected);
  const lost = expected.filter((one) => !found.has(one));
  const strange = others.filter((one) => !wanted.has(one));
  const double = others.length - found.size;
  return [
    ...(lost.length > 0
      ? [`${what}: ${lost.length} of ${expected.length} are not in ${where}: ${lost.slice(0, 3).join(', ')}`]
      : []),
    ...(strange.length > 0
      ? [`${where}: ${strange.length} are not among ${what}: ${strange.slice(0, 3).join(', ')}`]
      : []),
    ...(double > 0 ? [`${where}: ${double} are there twice`] : []),
  ];
}

function unequal(what: string, expected: number, where: string, found: unknown): string[] {
  return expected === found ? [] : [`${what}: ${expected}, and ${String(found)} in ${where}`];
}
