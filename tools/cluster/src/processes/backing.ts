import { APP_NAMES, CHAINS, type AppName } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { createTopics } from '@evenkeel/platform/kafka';
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

/** Short ones confirm a transfer soon. */
const BLOCK_MS = 200;

/** What the services of a cluster stand on: real servers, and stand-ins for what is not ours. */
export interface Backing {
  postgres: RunningPostgres;
  redis: RunningRedis;
  kafka: RunningKafka;
  facilitator: RunningFacilitator;
  stripe: DevelopmentStripe;
  databases: Readonly<Record<AppName, string>>;
}

/**
 * Starts them all, with an empty database for each service and all topics. Nothing is kept.
 * @param closers gets what ends them, in the order in which they were started
 * @throws CannotStartService with a sentence that says what to do
 */
export async function startBacking(
  closers: (() => Promise<unknown>)[],
  report: (step: string) => void,
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
    started('Kafka', startKafka(), (server) => server.stop()),
    started('facilitator', startFacilitator({ port: 0, chain, control: true, blockMs: BLOCK_MS }), (it) => it.close()),
    started('Stripe', DevelopmentStripe.start({ control: true }), (it) => it.close()),
  ] as const);
  const failed = all.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const [postgres, redis, kafka, facilitator, stripe] = all.map(
    (one) => (one as PromiseFulfilledResult<unknown>).value,
  ) as [RunningPostgres, RunningRedis, RunningKafka, RunningFacilitator, DevelopmentStripe];
  const databases = {} as Record<AppName, string>;
  for (const app of APP_NAMES) databases[app] = await ensureDatabase(postgres.url, app.replaceAll('-', '_'));
  const log = { warn: () => undefined, error: () => undefined };
  await createTopics({ access: { brokers: kafka.brokers.split(',') }, log });
  report('topics are there');
  return { postgres, redis, kafka, facilitator, stripe, databases };
}
