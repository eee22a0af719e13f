import { Kafka, logLevel, type LogEntry } from 'kafkajs';
import type { MessagingLog } from '../messaging-log';

/** Every wait has an end, and every failure a second chance (reliability: patterns, Kafka client). */
const CLIENT = {
  connectionTimeout: 3_000,
  requestTimeout: 10_000,
  retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
} as const;

/** @param brokers `host:port`, any of the cluster */
export function kafkaClient(brokers: readonly string[], clientId: string, log: MessagingLog): Kafka {
  const logCreator =
    () =>
    ({ level, namespace, log: { message, error } }: LogEntry): void => {
      // What it calls an error it also repeats or throws: nobody must act because of a line of its own.
      if (level <= logLevel.WARN) log.warn({ message: `kafka: ${message}`, namespace, reason: error as unknown });
    };
  return new Kafka({ clientId, brokers: [...brokers], ...CLIENT, logLevel: logLevel.WARN, logCreator });
}
