import type * as BrowserOfTests from './jest/browser';
import { startKafka } from './kafka/start-kafka';
import { startTemporaryPostgres } from './postgres/start-postgres';
import { startRedis } from './servers';

/** The settings that name services, and name one of your own. */
export const VARIABLES = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  kafka: 'KAFKA_BROKERS',
  browser: 'BROWSER_ENDPOINT',
} as const;

export type ServiceName = keyof typeof VARIABLES;

export interface RunningService {
  name: ServiceName;
  /** The value of the service's variable. */
  address: string;
  stop: () => Promise<void>;
}

async function start(name: ServiceName): Promise<RunningService> {
  switch (name) {
    case 'postgres': {
      const { url, stop } = await startTemporaryPostgres();
      return { name, address: url, stop };
    }
    case 'redis': {
      const { url, stop } = await startRedis();
      return { name, address: url, stop };
    }
    case 'kafka': {
      const { brokers, stop } = await startKafka();
      return { name, address: brokers, stop };
    }
    case 'browser': {
      // Loaded when it is wanted: only tests open pages.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { startChromium } = require('./jest/browser') as typeof BrowserOfTests;
      const { endpoint, stop } = await startChromium();
      return { name, address: endpoint, stop };
    }
  }
}

/**
 * Starts services side by side, each temporary. Where one cannot start, the others are stopped again.
 * @throws CannotStartPostgres, CannotStartService
 */
export async function startServices(names: readonly ServiceName[]): Promise<RunningService[]> {
  const results = await Promise.allSettled(names.map(start));
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return running;
  await stopServices(running);
  throw failed.reason;
}

export async function stopServices(services: readonly RunningService[]): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
}
