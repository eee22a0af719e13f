import { audit } from '@evenkeel/ops/audit';
import { APP_NAMES, PaymentSettlementPending, type AppName } from '@evenkeel/contracts';
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
export function wrongEffects(cluster: Cluster, traffic: Traffic): Promise<string[]> {
  const { databases, facilitator, stripe } = cluster.backing;
  return reading(databases, async (read) => [
    ...(await audited(read)),
    ...(await contradictions(read, { ledger: facilitator.ledger(), stripe }, traffic)),
  ]);
}

/** Rows of the database of a service. */
export type Read = (app: AppName, sql: string) => Promise<Rows>;

/** Does something with all four databases open. */
export async function reading<Result>(
  databases: Readonly<Record<AppName, string>>,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  const clients = {} as Record<AppName, Client>;
  try {
    for (const app of APP_NAMES) {
      clients[app] = new Client({ connectionString: databases[app] });
      await clients[app].connect();
    }
    return await work(async (app, sql) => (await clients[app].query<Record<string, unknown>>(sql)).rows);
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.end()));
  }
}

/** The own lists of those who are not ours. */
export interface Told {
  ledger: Pick<Ledger, 'settlements' | 'payments'>;
  stripe: Pick<DevelopmentStripe, 'events' | 'subscriptions'>;
}

/** The answers to callers. */
export interface Done {
  agents: Pick<Agents, 'paid' | 'unanswered' | 'redeemed' | 'uncertainCredits'>;
  people: Pick<People, 'ids' | 'logged' | 'uncertainLogs' | 'analyses' | 'uncertainAnalyses'>;
  webhooks: Pick<Webhooks, 'taken' | 'unanswered'>;
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
export async function audited(read: Read): Promise<string[]> {
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
  const ledger = await read('agent-gateway', LEDGER);
  const wasUncertain = new Set((await read('agent-gateway', UNCERTAIN)).map(({ nonce }) => String(nonce)));
  // The others are failed requests, whose buyer does not know the outcome.
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
    ...(await reportedOtherwise(read)),
    ...ledger
      .filter(({ state }) => state !== 'settled')
      .map((row) => `a payment is not settled: ${JSON.stringify(row)}`),
    ...calls
      .filter(({ nonce, settle }) => settle > 1 && !wasUncertain.has(nonce.toLowerCase()))
      .map(({ nonce, settle }) => `${nonce} was asked to be settled ${settle} times, and was never uncertain`),
    ...calls
      .filter(({ settleBodies }) => settleBodies > 1)
      .map(({ nonce, settleBodies }) => `${nonce} was asked to be settled with ${settleBodies} different bodies`),
  ];
}

/** Only what the ledger has announced as uncertain may be asked for again (docs/protocol.md). */
const UNCERTAIN = `
  SELECT DISTINCT lower(nonce) AS nonce FROM audit.outbox o JOIN audit.payments p ON p.id::text = o.subject
  WHERE o.type = '${PaymentSettlementPending.type}'`;

const LEDGER = 'SELECT id, lower(nonce) AS nonce, state, amount_atomic::text AS value FROM audit.payments';
const COPIES = 'SELECT payment_id AS id, status AS state, amount_atomic::text AS value FROM audit.payments';

/** Settled payments and their amounts that only one of ledger and reporting has. */
export async function reportedOtherwise(read: Read): Promise<string[]> {
  const [ours, theirs] = [await read('agent-gateway', LEDGER), await read('reporting', COPIES)];
  const settled = (rows: Rows) => rows.filter(({ state }) => state === 'settled').map(keyOf);
  return different('the ledger', settled(ours), 'reporting', settled(theirs));
}

function keyOf({ id, value }: Record<string, unknown>): string {
  return `${String(id)} ${String(value)}`;
}

async function credits(read: Read, { agents }: Done): Promise<string[]> {
  const spent = 'SELECT count(*)::integer AS spent FROM audit.credits WHERE redeemed_at IS NOT NULL';
  const [ledger, copy] = [await read('agent-gateway', spent), await read('reporting', spent)];
  const [answered, uncertain] = [agents.redeemed.size, agents.uncertainCredits.size];
  return [
    ...notAmong('credits that were answered', { answered, uncertain }, 'the ledger', ledger[0]!['spent']),
    ...notAmong('credits that were answered', { answered, uncertain }, 'reporting', copy[0]!['spent']),
    ...(ledger[0]!['spent'] === copy[0]!['spent'] ? [] : ['the ledger and reporting count other credits as spent']),
  ];
}

/** Each log that was answered is there once, and each analysis was counted once; one without an answer at most once. */
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
      logs.map(({ id }) => String(id)).filter((id) => !they.uncertainLogs.has(id)),
    ),
    ...notAmong(
      'answered analyses',
      { answered: they.analyses, uncertain: they.uncertainAnalyses },
      'accounts',
      usage!['used'],
    ),
  ];
}

/** Billing has stored every event of the provider, and its subscriptions equal those of the provider. */
async function providerEvents(read: Read, { stripe }: Told, { webhooks }: Done): Promise<string[]> {
  // Reads of billing are there too; ignored events are not.
  const rows = await read('billing', `SELECT id, type FROM audit.provider_events WHERE id NOT LIKE 'read:%'`);
  const stored = rows.map(({ id }) => String(id)).filter((id) => !webhooks.unanswered.has(id));
  const types = new Set(rows.map(({ type }) => type));
  const told = stripe.events.filter(({ type }) => types.has(type)).map(({ id }) => id);
  const undelivered = stripe.events.filter(({ pending_webhooks: pending }) => pending > 0);
  return [
    ...different('events of the provider', [...told, ...webhooks.taken], 'billing', stored),
    ...undelivered.map(({ id, type }) => `the event ${id} (${type}) was not delivered`),
    ...(await subscribedOtherwise(read, stripe)),
  ];
}

/** Subscriptions and their states that only one of provider and billing has. */
export async function subscribedOtherwise(
  read: Read,
  stripe: Pick<Told['stripe'], 'subscriptions'>,
): Promise<string[]> {
  const rows = await read('billing', 'SELECT subscription_id AS id, lower(status) AS status FROM audit.subscriptions');
  const theirs = stripe.subscriptions.map(standing);
  return different('subscriptions of the provider', theirs, 'billing', rows.map(standing));
}

function standing({ id, status }: { id?: unknown; status?: unknown }): string {
  return `${String(id)} ${String(status)}`;
}

/** Values that only one of two lists has, and those that one has twice. */
export function different(what: string, some: Iterable<string>, where: string, others: readonly string[]): string[] {
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

/** A count that must be that of the answers; more only by those of which nobody knows. */
function notAmong(
  what: string,
  { answered, uncertain }: { answered: number; uncertain: number },
  where: string,
  found: unknown,
): string[] {
  const isRight = Number(found) >= answered && Number(found) <= answered + uncertain;
  return isRight ? [] : [`${what}: ${answered}, and ${String(found)} in ${where}`];
}
