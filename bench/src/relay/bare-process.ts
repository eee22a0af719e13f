import { CompressionTypes, Kafka, logLevel, Partitioners, type Message } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { announce } from '../processes/listen-locally';
import { SAMPLE, SOURCE, WALLETS } from './sample-events';

const BATCH = 500;

/** The limit: kafkajs alone, with the same bytes, the same batches and the same promises of the broker. */
async function main([brokers = '']: string[]): Promise<void> {
  const kafka = new Kafka({ brokers: [brokers], logLevel: logLevel.ERROR });
  const createPartitioner = Partitioners.DefaultPartitioner;
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner });
  await producer.connect();
  process.on('message', (command: { topic?: string; events: number }) => {
    if (command.topic !== undefined) void send(command.topic, command.events).then((ms) => process.send!(ms));
  });

  async function send(topic: string, events: number): Promise<number> {
    const messages = Array.from({ length: events }, (_, index) => aMessage(index));
    const began = performance.now();
    for (let first = 0; first < events; first += BATCH) {
      const topicMessages = [{ topic, messages: messages.slice(first, first + BATCH) }];
      await producer.sendBatch({ acks: -1, compression: CompressionTypes.None, topicMessages });
    }
    return performance.now() - began;
  }
  announce('bare:');
}

function aMessage(index: number): Message {
  const key = `0x${String(index % WALLETS).padStart(40, '0')}`;
  const headers = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_type: SAMPLE.event.type,
    ce_source: SOURCE,
    ce_subject: randomUUID(),
    ce_time: '2026-01-31T11:58:00.910Z',
    ce_partitionkey: key,
    ce_sequence: String(Math.floor(index / WALLETS) + 1),
  };
  // As PostgreSQL writes it: with a space after each colon and comma.
  return { key, headers, value: JSON.stringify(SAMPLE.data, null, 1).replaceAll('\n', '') };
}

void main(process.argv.slice(2));
