import { APP_NAMES, CHAINS, type AppName } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { createTopics } from '@evenkeel/platform/messaging';
import {
  ensureDatabase,
  startKafka,
  startRedis,
  startTemporaryPostgres,
  type RunningKafka,
  type RunningPostgres,
  type RunningRedis,
} from '@evenkeel/services';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { MailServer } from './mail-server';

/** Short ones confirm a transfer soon. */
const BLOCK_MS = 200;
/** Stripe goes on for three days; this is longer than any fault of a trial. */
const WEBHOOK_RETRY_MS = [100, 500, 2_000, ...Array.from({ length: 20 }, () => 5_000)];

/** The servers behind a cluster: real ones, and stand-ins for those that are not ours. */
export interface Backing {
  postgres: RunningPostgres;
  redis: RunningRedis;
  kafka: RunningKafka;
  facilitator: RunningFacilitator;
  stripe: DevelopmentStripe;
  mails: MailServer;
  databases: Readonly<Record<AppName, string>>;
}

/** Where services find it. */
export interface Addresses {
  databases: Readonly<Record<AppName, string>>;
  redis: string;
  /** Host and port. */
  kafka: string;
  facilitator: string;
  /** JSON-RPC. */
  chain: string;
  stripe: string;
  smtp: string;
}

/** Puts something of its own between the services and what they stand on. */
export interface Between {
  /** Where Kafka listens, and the port that it tells its clients. */
  readonly kafka: { port: number; advertisedPort: number };
  /** @returns where the services shall find it all */
  addresses(real: Addresses): Promise<Addresses>;
}

export function addressesOf(backing: Backing): Addresses {
  const { databases, redis, kafka, facilitator, stripe, mails } = backing;
  return {
    databases,
    redis: redis.url,
    kafka: kafka.brokers,
    facilitator: facilitator.url,
    chain: facilitator.rpcUrl,
    stripe: stripe.url,
    smtp: mails.url,
  };
}

/**
 * Starts them all, with an empty database for each service and all topics. Nothing is kept.
 * @param closers gets what ends them, in the order in which they were started
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startBacking(
  closers: (() => Promise<unknown>)[],
  report: (step: string) => void,
  kafkaPorts?: Between['kafka'],
): Promise<Backing> {
  const started = async <Server>(
    name: string,
    server: Promise<Server>,
    close: (server: Server) => Promise<unknown>,
  ) => {
    const running = await server;
    closers.push(() => close(running));
    report(`${name} is up`);
    return running;
  };
  const chain = CHAINS[0]!;
  const all = await Promise.allSettled([
    started('PostgreSQL', startTemporaryPostgres(), (server) => server.stop()),
    started('Redis', startRedis(), (server) => server.stop()),
    started('Kafka', startKafka(kafkaPorts), (server) => server.stop()),
    started('facilitator', startFacilitator({ port: 0, chain, control: true, blockMs: BLOCK_MS }), (it) => it.close()),
    started('Stripe', DevelopmentStripe.start({ control: true, webhookRetryMs: WEBHOOK_RETRY_MS }), (it) => it.close()),
    started('SMTP', MailServer.start(), (server) => server.stop()),
  ] as const);
  const failed = all.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const [postgres, redis, kafka, facilitator, stripe, mails] = all.map(
    (one) => (one as PromiseFulfilledResult<unknown>).value,
  ) as [RunningPostgres, RunningRedis, RunningKafka, RunningFacilitator, DevelopmentStripe, MailServer];
  const databases = await emptyDatabases(postgres);
  const log = { warn: () => undefined, error: () => undefined };
  await createTopics({ access: { brokers: kafka.brokers.split(',') }, log });
  report('topics are there');
  return { postgres, redis, kafka, facilitator, stripe, mails, databases };
}

/** One for each service. @returns their addresses */
export async function emptyDatabases(postgres: RunningPostgres): Promise<Record<AppName, string>> {
  const databases = {} as Record<AppName, string>;
  for (const app of APP_NAMES) databases[app] = await ensureDatabase(postgres.url, app.replaceAll('-', '_'));
  return databases;
}
