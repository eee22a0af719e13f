import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { APP_NAMES, CHAINS, type AppName } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTopics } from '@evenkeel/platform/messaging';
import { ensureDatabase, startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import type { RunningKafka, RunningPostgres, RunningRedis } from '@evenkeel/services';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { SMTPServer } from 'smtp-server';
import type { Targets } from '../traffic/caller';

/** Short ones confirm a transfer soon. */
const BLOCK_MS = 200;
/** Stripe goes on for three days; this is longer than any fault of a trial. */
const WEBHOOK_RETRY_MS = [100, 500, 2_000, ...Array.from({ length: 20 }, () => 5_000)];

export type Databases = Readonly<Record<AppName, string>>;

/** A real SMTP server that takes every mail and keeps nothing of it but the address. */
interface MailServer {
  url: string;
  /** In the order in which their mails came. */
  recipients: readonly string[];
}

/** The servers behind a cluster: real ones, and stand-ins for those that are not ours. */
export interface Backing {
  postgres: RunningPostgres;
  redis: RunningRedis;
  kafka: RunningKafka;
  facilitator: RunningFacilitator;
  stripe: DevelopmentStripe;
  mails: MailServer;
  databases: Databases;
}

/** Where services find it. */
export interface Addresses {
  databases: Databases;
  redis: string;
  /** Host and port. */
  kafka: string;
  facilitator: string;
  stripe: string;
  smtp: string;
}

/** Puts something of its own between the services and what they stand on. */
export interface Between {
  /** Where Kafka listens, and the port that it says to its clients. */
  readonly kafka: { port: number; advertisedPort: number };
  /** @returns where the services shall find it all */
  addresses(real: Addresses): Promise<Addresses>;
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
    starting: Promise<Server>,
    end: (server: Server) => Promise<unknown>,
  ) => {
    const server = await starting;
    closers.push(() => end(server));
    report(`${name} is up`);
    return server;
  };
  const startings = [
    started('PostgreSQL', startTemporaryPostgres(), (server) => server.stop()),
    started('Redis', startRedis(), (server) => server.stop()),
    started('Kafka', startKafka(kafkaPorts), (server) => server.stop()),
    started('facilitator', startFacilitator({ port: 0, chain: CHAINS[0]!, control: true, blockMs: BLOCK_MS }), (it) =>
      it.close(),
    ),
    started('Stripe', DevelopmentStripe.start({ webhookRetryMs: WEBHOOK_RETRY_MS }), (it) => it.close()),
    started('SMTP', startMailServer(), (server) => server.stop()),
  ] as const;
  // Also those that come up after another has failed are to be ended.
  await Promise.allSettled(startings);
  const [postgres, redis, kafka, facilitator, stripe, mails] = await Promise.all(startings);
  const databases = await emptyDatabases(postgres);
  await makeTopics(kafka);
  report('topics are there');
  return { postgres, redis, kafka, facilitator, stripe, mails, databases };
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

async function startMailServer(): Promise<MailServer & { stop: () => Promise<void> }> {
  const recipients: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      stream.resume().on('end', () => {
        recipients.push(...envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  // A client that breaks off is no error of ours.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return { url, recipients, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** Processes of each kind. */
export const REPLICAS = 2;

/** Takes the payments of trials; its key does not exist. */
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

const secretKeys = (): string => `cluster:${randomBytes(32).toString('base64')}`;

/** Settings of the processes of each service, except their ports; with keys of this cluster only. */
export function settingsOf(
  addresses: Addresses,
  { stripe, facilitator }: Backing,
  { url, adminToken }: Pick<Targets, 'url' | 'adminToken'>,
): Readonly<Record<AppName, NodeJS.ProcessEnv>> {
  const common = (app: AppName) => ({
    DATABASE_URL: addresses.databases[app],
    REDIS_URL: addresses.redis,
    KAFKA_BROKERS: addresses.kafka,
    PUBLIC_BASE_URL: url,
    TRUSTED_PROXY_HOPS: '1',
    REPLICA_COUNT: String(REPLICAS),
  });
  return {
    'agent-gateway': {
      ...common('agent-gateway'),
      FACILITATOR_URL: addresses.facilitator,
      X402_RPC_URL: facilitator.rpcUrl,
      X402_PAY_TO: PAY_TO,
      ANSWER_KEYS: secretKeys(),
      RECEIPT_KEYS: secretKeys(),
    },
    accounts: {
      ...common('accounts'),
      JWT_KEYS: newEs256Key('cluster'),
      REFRESH_TOKEN_KEYS: secretKeys(),
      SMTP_URL: addresses.smtp,
    },
    billing: {
      ...common('billing'),
      ...stripe.settings(),
      STRIPE_API_BASE: addresses.stripe,
      JWKS_URL: `${url}/.well-known/jwks.json`,
    },
    reporting: { ...common('reporting'), ADMIN_TOKEN: adminToken },
  };
}
