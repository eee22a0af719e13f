import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import type { MessagingLog } from '../messaging-log';

interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** One connection, opened for whoever asks first, and anew after it was dropped. */
export class KeptConnection<Client extends Connectable> {
  private connected?: Promise<Client>;

  constructor(private readonly create: () => Client) {}

  get(): Promise<Client> {
    if (this.connected) return this.connected;
    const opened = this.open();
    // One that failed is not kept, unless it was dropped and another one stands there now.
    opened.catch(() => {
      if (this.connected === opened) this.connected = undefined;
    });
    return (this.connected = opened);
  }

  async drop(): Promise<void> {
    const dropped = this.connected;
    this.connected = undefined;
    await dropped?.then((client) => client.disconnect()).catch(() => undefined);
  }

  private async open(): Promise<Client> {
    const client = this.create();
    await client.connect();
    return client;
  }
}

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
