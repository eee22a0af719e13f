import { startKafka } from './kafka/start-kafka';
import type { Say } from './say';
import { startTemporaryPostgres } from './start-postgres';
import { startRedis } from './start-redis';

export type ServiceName = 'postgres' | 'redis' | 'kafka';

export interface RunningService {
  name: ServiceName;
  /** What the variable of the service is set to. */
  address: string;
  stop(): Promise<void>;
}

/** The setting that names one of your own. */
export const VARIABLES = { postgres: 'DATABASE_URL', redis: 'REDIS_URL', kafka: 'KAFKA_BROKERS' } as const;

const START: Record<ServiceName, (say?: Say) => Promise<Omit<RunningService, 'name'>>> = {
  postgres: async (log) => {
    const postgres = await startTemporaryPostgres({ log });
    return { address: postgres.url, stop: () => postgres.stop() };
  },
  redis: async (say) => {
    const redis = await startRedis({ say });
    return { address: redis.url, stop: () => redis.stop() };
  },
  kafka: async (say) => {
    const kafka = await startKafka({ say });
    return { address: kafka.brokers, stop: () => kafka.stop() };
  },
};

/**
 * Starts services side by side, each temporary. Where one cannot start, the others are stopped again.
 * @throws CannotStartPostgres, CannotStartService
 */
export async function startServices(names: readonly ServiceName[], say?: Say): Promise<RunningService[]> {
  const attempts = names.map(async (name) => ({ name, ...(await START[name](say)) }));
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
