import type { Kafka } from 'kafkajs';
import type { Deliver } from '../event-transport.port';
import { deliverBatch } from './kafka-batch';
import { readPositions } from './kafka-positions';
import { groupConsumer } from './kafka-reader';

/** Reads as the group up to where the topic ends now. */
export async function drainTopic(kafka: Kafka, group: string, topic: string, deliver: Deliver): Promise<void> {
  const unread = await unreadEnds(kafka, group, topic);
  if (unread.size === 0) return;
  const consumer = groupConsumer(kafka, group);
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      const failing: Deliver = (batch) =>
        deliver(batch).catch((error: Error) => {
          reject(error);
          throw error;
        });
      const eachBatch = consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => {
          const { partition } = payload.batch;
          return deliverBatch(payload, failing, async (offset) => {
            await consumer.commitOffsets([{ topic, partition, offset }]);
            if (BigInt(offset) >= (unread.get(partition) ?? 0n)) unread.delete(partition);
            if (unread.size === 0) resolve();
          });
        },
      });
      eachBatch.catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

/** @returns the present end of each partition that holds something the group has not read */
async function unreadEnds(kafka: Kafka, group: string, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const positions = await readPositions(admin, group, topic);
    return new Map(positions.filter(({ next, end }) => next < end).map(({ partition, end }) => [partition, end]));
  } finally {
    await admin.disconnect();
  }
}
