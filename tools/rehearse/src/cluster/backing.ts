import { randomBytes } from 'node:crypto';
import { APP_NAMES, CHAINS, type AppName } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTopics } from '@evenkeel/ops/events';
import { ensureDatabase, startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import type { RunningKafka, RunningPostgres, RunningRedis } from '@evenkeel/services';
import { DevelopmentStripe } from '@evenkeel/stripe';
import type { Lines } from '../faults/lines';
import type { Targets } from '../traffic/caller';

/** Short ones confirm a transfer soon. */
const BLOCK_MS = 200;
/** Stripe goes on for three days; this is longer than any fault of a trial. */
const WEBHOOK_RETRY_MS = [100, 500, 2_000, ...Array.from({ length: 20 }, () => 5_000)];

export type Databases = Readonly<Record<AppName, string>>;

/** The servers behind a cluster: real ones, and stand-ins for those that are not ours. */
export interface Backing {
  postgres: RunningPostgres;
  redis: RunningRedis;
  kafka: RunningKafka;
  facilitator: RunningFacilitator;
  stripe: DevelopmentStripe;
  databases: Databases;
}

/**
 * Starts them all, with an empty database for each service and all topics. Nothing is kept.
 * @param closers gets what ends them, in the order in which they were started
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startBacking(closers: (() => Promise<unknown>)[], lines?: Lines): Promise<Backing> {
  const kept = <Server extends { stop(): Promise<unknown> } | { close(): Promise<unknown> }>(
    server: Server,
  ): Server => {
    closers.push(() => ('stop' in server ? server.stop() : server.close()));
    return server;
  };
  const postgres = kept(await startTemporaryPostgres());
  const redis = kept(await startRedis());
  const kafka = kept(await startKafka(lines?.kafka));
  const onChain = { port: 0, chain: CHAINS[0]!, control: true, blockMs: BLOCK_MS };
  const facilitator = kept(await startFacilitator(onChain));
  const stripe = kept(await DevelopmentStripe.start({ webhookRetryMs: WEBHOOK_RETRY_MS }));
  await makeTopics(kafka);
  return { postgres, redis, kafka, facilitator, stripe, databases: await emptyDatabases(postgres) };
}

/** One for each service. @returns their addresses */
export async function emptyDatabases(postgres: RunningPostgres): Promise<Databases> {
  const databases = {} as Record<AppName, string>;
  for (const app of APP_NAMES) databases[app] = await ensureDatabase(postgres.url, app.replaceAll('-', '_'));
  return databases;
}

export async function makeTopics({ brokers }: RunningKafka): Promise<void> {
  const log = { warn: () => undefined, error: () => undefined };
  await createTopics({ access: { brokers: brokers.split(',') }, log });
}

/** Processes of each kind. */
export const REPLICAS = 2;

/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const secretKeys = (): string => `cluster:${randomBytes(32).toString('base64')}`;

/**
 * Settings of the processes of each service, except their ports; with keys of this cluster only.
 * @param lines through which they reach what they stand on; default: directly
 */
export async function settingsOf(
  { databases, redis, kafka, facilitator, stripe }: Backing,
  { url, adminToken }: Pick<Targets, 'url' | 'adminToken'>,
  lines?: Lines,
): Promise<Record<AppName, NodeJS.ProcessEnv>> {
  const through: Lines['through'] = async (thing, address) => (lines ? lines.through(thing, address) : address);
  const shared = {
    REDIS_URL: await through('redis', redis.url),
    KAFKA_BROKERS: lines ? `127.0.0.1:${lines.kafka.advertisedPort}` : kafka.brokers,
    PUBLIC_BASE_URL: url,
    TRUSTED_PROXY_HOPS: '1',
    REPLICA_COUNT: String(REPLICAS),
  };
  const common = async (app: AppName) => ({
    ...shared,
    DATABASE_URL: await through(`${app}-database`, databases[app]),
  });
  return {
    'agent-gateway': {
      ...(await common('agent-gateway')),
      FACILITATOR_URL: await through('facilitator', facilitator.url),
      X402_RPC_URL: facilitator.rpcUrl,
      X402_PAY_TO: PAY_TO,
      ANSWER_KEYS: secretKeys(),
      RECEIPT_KEYS: secretKeys(),
    },
    accounts: {
      ...(await common('accounts')),
      JWT_KEYS: newEs256Key('cluster'),
      REFRESH_TOKEN_KEYS: secretKeys(),
    },
    billing: {
      ...(await common('billing')),
      ...stripe.settings(),
      STRIPE_API_BASE: await through('stripe', stripe.url),
      JWKS_URL: `${url}/.well-known/jwks.json`,
    },
    reporting: { ...(await common('reporting')), ADMIN_TOKEN: adminToken },
  };
}
