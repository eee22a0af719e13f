import type { Kafka } from 'kafkajs';
import type { EventMessage } from '../event-message';
import { EventTransport, type Deliver, type ReaderPosition, type RunningReader } from '../event-transport.port';
import type { MessagingLog } from '../messaging-log';
import { kafkaClient } from './kafka-client';
import { drainTopic } from './kafka-drain';
import { KafkaPositions } from './kafka-positions';
import { KafkaPublisher } from './kafka-publisher';
import { KafkaReader } from './kafka-reader';
import { forgetGroup } from './forget-group';

export interface KafkaTransportOptions {
  /** `host:port`, any of the cluster. */
  brokers: readonly string[];
  /** Name of the process in the broker's log. */
  clientId: string;
  log: MessagingLog;
  /** A reader has ended and cannot come back. Default: the process exits, so that it is started anew. */
  onFatal?: (error: Error) => void;
}

/** Events over Kafka. Topics are never made by writing to them: see `createTopics`. */
export class KafkaTransport extends EventTransport {
  private readonly kafka: Kafka;
  private readonly publisher: KafkaPublisher;
  private readonly progress: KafkaPositions;
  private readonly readers = new Set<KafkaReader>();

  constructor(private readonly options: KafkaTransportOptions) {
    super();
    this.kafka = kafkaClient(options.brokers, options.clientId, options.log);
    this.publisher = new KafkaPublisher(this.kafka);
    this.progress = new KafkaPositions(this.kafka);
  }

  override publish(messages: readonly EventMessage[]): Promise<void> {
    return this.publisher.publish(messages);
  }

  override subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader {
    const { log, onFatal = exit } = this.options;
    const reader = new KafkaReader({ kafka: this.kafka, group, topics, deliver, log, onFatal });
    this.readers.add(reader);
    return reader;
  }

  override drain(group: string, topic: string, deliver: Deliver): Promise<void> {
    return drainTopic(this.kafka, group, topic, deliver);
  }

  override positions(group: string, topic: string): Promise<ReaderPosition[]> {
    return this.progress.read(group, topic);
  }

  override rewind(group: string): Promise<void> {
    return forgetGroup(this.kafka, group);
  }

  override async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.stop()));
    await Promise.all([this.publisher.close(), this.progress.close()]);
  }
}

function exit(): void {
  process.exit(1);
}
