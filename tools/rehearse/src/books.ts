import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import { APP_NAMES, PaymentSettlementPending, type AppName } from '@evenkeel/contracts';
import { Client } from 'pg';
import type { Backing, Databases } from './cluster/backing';
import type { Traffic } from './traffic/traffic';

type Rows = Record<string, unknown>[];

export type Read = (app: AppName, sql: string) => Promise<Rows>;

/** Does something with all four databases open. */
export async function reading<Result>(databases: Databases, work: (read: Read) => Promise<Result>): Promise<Result> {
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

const SETTLED_WITHIN_MS = 120_000;
const POLL_MS = 2_000;

/**
 * Whatever is lost, double or contradicts itself in the databases, in the lists of facilitator and Stripe, and in the answers to
 * callers: a sentence each. Events are on their way for a while: what is still wrong after that time stays wrong.
 * @param traffic all that the cluster has answered; default: databases and lists are compared with each other alone
 */
export async function settledBooks(
  backing: Backing,
  traffic?: Traffic,
  withinMs = SETTLED_WITHIN_MS,
): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    await traffic?.repeatUnanswered();
    const wrong = await reading(backing.databases, async (read) => [
      ...(await audited(read)),
      ...(await differing(read, backing)),
      ...(traffic ? await answeredOtherwise(read, backing, traffic) : []),
    ]);
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await sleep(POLL_MS);
  }
}

/** The promises, and that nothing waits any more. */
async function audited(read: Read): Promise<string[]> {
  const found: string[] = [];
  for (const app of APP_NAMES) {
    const query = ((sql: string) => read(app, sql)) as Parameters<typeof audit>[0]['query'];
    for (const { promise, what, row } of await audit({ query }))
      found.push(`${app}: ${promise}: ${what} ${JSON.stringify(row)}`);
    const waiting = [
      ...(app === 'reporting' ? [] : ['outbox WHERE published_at IS NULL']),
      ...(app === 'agent-gateway' ? [] : ['parked']),
    ];
    for (const rows of waiting) {
      const count = await countOf(read, app, `SELECT count(*) AS count FROM audit.${rows}`);
      if (count > 0) found.push(`${app}: ${count} events are in ${rows}`);
    }
  }
  return found;
}

const LEDGER = 'SELECT id, lower(nonce) AS nonce, state, amount_atomic::text AS value FROM audit.payments';
const COPIES = 'SELECT payment_id AS id, status AS state, amount_atomic::text AS value FROM audit.payments';

/** Settled payments, spent credits, and subscriptions with their states, that only one side has. */
async function differing(read: Read, { stripe }: Backing): Promise<string[]> {
  const settled = (rows: Rows) =>
    rows.filter(({ state }) => state === 'settled').map(({ id, value }) => `${String(id)} ${String(value)}`);
  const standing = ({ id, status }: { id?: unknown; status?: unknown }) => `${String(id)} ${String(status)}`;
  const rows = await read('billing', 'SELECT subscription_id AS id, lower(status) AS status FROM audit.subscriptions');
  const [ledger, copy] = [await spentCredits(read, 'agent-gateway'), await spentCredits(read, 'reporting')];
  return [
    ...different(
      'the ledger',
      settled(await read('agent-gateway', LEDGER)),
      'reporting',
      settled(await read('reporting', COPIES)),
    ),
    ...different('subscriptions of the provider', stripe.subscriptions.map(standing), 'billing', rows.map(standing)),
    ...(ledger === copy ? [] : [`the ledger has ${ledger} spent credits, and reporting ${copy}`]),
  ];
}

/** Only what the ledger has announced as uncertain may be asked for again (docs/protocol.md). */
const UNCERTAIN = `
  SELECT DISTINCT lower(nonce) AS nonce FROM audit.outbox o JOIN audit.payments p ON p.id::text = o.subject
  WHERE o.type = '${PaymentSettlementPending.type}'`;

async function answeredOtherwise(read: Read, backing: Backing, traffic: Traffic): Promise<string[]> {
  const { agents, webhooks } = traffic;
  return [
    ...[...agents.unanswered.keys()].map((nonce) => `P1: the payment ${nonce} gets no answer when it is repeated`),
    ...[...webhooks.unanswered.keys()].map((id) => `P7: the event ${id} is not taken when it is repeated`),
    ...(await payments(read, backing, traffic)),
    ...notAmong(
      'credits that were answered',
      agents.redeemed,
      agents.uncertainCredits,
      await spentCredits(read, 'agent-gateway'),
    ),
    ...(await peoplesEntries(read, traffic)),
    ...(await providerEvents(read, backing, traffic)),
  ];
}

/** Answered payments, the ledger and the facilitator's own list are the same set. */
async function payments(read: Read, { facilitator }: Backing, { agents }: Traffic): Promise<string[]> {
  const { settlements, payments: calls } = facilitator.ledger();
  const ledger = await read('agent-gateway', LEDGER);
  const wasUncertain = new Set((await read('agent-gateway', UNCERTAIN)).map(({ nonce }) => String(nonce)));
  const settled = ledger.filter(({ state }) => state === 'settled').map(({ nonce }) => String(nonce));
  const charged = settlements.map(({ nonce }) => nonce.toLowerCase());
  // The buyer of an unanswered one does not know the outcome.
  const answered = (nonces: string[]) => nonces.filter((nonce) => !agents.unanswered.has(nonce));
  return [
    ...different('answered payments', agents.paid, 'the ledger', answered(settled)),
    ...different('answered payments', agents.paid, 'the facilitator', answered(charged)),
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

/** Each log that was answered is there once, and each analysis was counted once; one without an answer at most once. */
async function peoplesEntries(read: Read, { people }: Traffic): Promise<string[]> {
  const users = `user_id IN (${people.ids.map((id) => `'${id}'`).join(',')})`;
  const logs = await read('accounts', `SELECT client_id::text AS id FROM habit_logs WHERE ${users}`);
  const used = await countOf(
    read,
    'accounts',
    `SELECT coalesce(sum(used), 0) AS count FROM audit.usage WHERE ${users}`,
  );
  const stored = logs.map(({ id }) => String(id)).filter((id) => !people.uncertainLogs.has(id));
  return [
    ...different('answered logs', people.logged, 'accounts', stored),
    ...notAmong('answered analyses', people.analyses, people.uncertainAnalyses, used),
  ];
}

/** Billing has stored every event of the provider. */
async function providerEvents(read: Read, { stripe }: Backing, { webhooks }: Traffic): Promise<string[]> {
  // Reads of billing are there too; ignored events are not.
  const rows = await read('billing', `SELECT id, type FROM audit.provider_events WHERE id NOT LIKE 'read:%'`);
  const stored = rows.map(({ id }) => String(id)).filter((id) => !webhooks.unanswered.has(id));
  const types = new Set(rows.map(({ type }) => type));
  const sent = stripe.events.filter(({ type }) => types.has(type)).map(({ id }) => id);
  const undelivered = stripe.events.filter(({ pending_webhooks: pending }) => pending > 0);
  return [
    ...different('events of the provider', [...sent, ...webhooks.taken], 'billing', stored),
    ...undelivered.map(({ id, type }) => `the event ${id} (${type}) was not delivered`),
  ];
}

function spentCredits(read: Read, app: AppName): Promise<number> {
  return countOf(read, app, 'SELECT count(*) AS count FROM audit.credits WHERE redeemed_at IS NOT NULL');
}

async function countOf(read: Read, app: AppName, sql: string): Promise<number> {
  const [row] = await read(app, sql);
  return Number(row!['count']);
}

/** Values that only one of two lists has, and those that one has twice. */
export function different(what: string, some: Iterable<string>, where: string, others: readonly string[]): string[] {
  const [wanted, found] = [new Set(some), new Set(others)];
  const few = (values: readonly string[]) => values.slice(0, 3).join(', ');
  const lost = [...wanted].filter((one) => !found.has(one));
  const strange = others.filter((one) => !wanted.has(one));
  const double = others.length - found.size;
  return [
    ...(lost.length > 0 ? [`${what}: ${lost.length} of ${wanted.size} are not in ${where}: ${few(lost)}`] : []),
    ...(strange.length > 0 ? [`${where}: ${strange.length} are not among ${what}: ${few(strange)}`] : []),
    ...(double > 0 ? [`${where}: ${double} are there twice`] : []),
  ];
}

/** A count that must be that of the answers; more only by those of which nobody knows. */
function notAmong(what: string, answered: number, uncertain: number, stored: number): string[] {
  const isRight = stored >= answered && stored <= answered + uncertain;
  return isRight ? [] : [`${what}: ${answered}, and ${stored} are stored`];
}
