import type * as BrowserOfTests from './jest/browser';
import { startKafka } from './kafka/start-kafka';
import { startTemporaryPostgres } from './postgres/start-postgres';
import { startRedis } from './redis/start-redis';

export type ServiceName = 'postgres' | 'redis' | 'kafka' | 'browser';

export interface RunningService {
  name: ServiceName;
  /** The value of the service's variable. */
  address: string;
  stop(): Promise<void>;
}

/** The setting that names one of your own. */
export const VARIABLES = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  kafka: 'KAFKA_BROKERS',
  browser: 'BROWSER_ENDPOINT',
} as const;

const START: Record<ServiceName, () => Promise<Omit<RunningService, 'name'>>> = {
  postgres: async () => {
    const postgres = await startTemporaryPostgres();
    return { address: postgres.url, stop: () => postgres.stop() };
  },
  redis: async () => {
    const redis = await startRedis();
    return { address: redis.url, stop: () => redis.stop() };
  },
  kafka: async () => {
    const kafka = await startKafka();
    return { address: kafka.brokers, stop: () => kafka.stop() };
  },
  browser: async () => {
    // Loaded when it is wanted: only tests open pages.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { startChromium } = require('./jest/browser') as typeof BrowserOfTests;
    const browser = await startChromium();
    return { address: browser.endpoint, stop: () => browser.stop() };
  },
};

/**
 * Starts services side by side, each temporary. Where one cannot start, the others are stopped again.
 * @param ready called with each when it runs
 * @throws CannotStartPostgres, CannotStartService
 */
export async function startServices(
  names: readonly ServiceName[],
  ready: (service: RunningService) => void = () => undefined,
): Promise<RunningService[]> {
  const attempts = names.map(async (name) => {
    const service = { name, ...(await START[name]()) };
    ready(service);
    return service;
  });
  const results = await Promise.allSettled(attempts);
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return running;
  await stopServices(running);
  throw failed.reason;
}

export async function stopServices(services: readonly RunningService[]): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
}
