import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { ReceivedMessage } from '../event-message';
import { BATCH_SIZE, type Deliver } from '../event-transport.port';

type Commit = (offset: string) => Promise<void>;

/**
 * Delivers what kafkajs fetched in batches of ours and commits behind each. Stops, leaving the rest to the next fetch,
 * when the partition is no longer ours or `deliver` rejects.
 */
export async function deliverBatch(payload: EachBatchPayload, deliver: Deliver, commit: Commit): Promise<void> {
  const { batch } = payload;
  let lost: Error | undefined;
  const keepAlive = async (): Promise<boolean> => {
    if (!payload.isRunning() || payload.isStale()) return false;
    try {
      await payload.heartbeat();
      return true;
    } catch (error) {
      lost = error as Error;
      return false;
    }
  };
  for (let first = 0; first < batch.messages.length; first += BATCH_SIZE) {
    if (!(await keepAlive())) break;
    const slice = batch.messages.slice(first, first + BATCH_SIZE);
    const messages = slice.map((message) => received(batch.topic, batch.partition, message));
    const done = await deliver({ messages, keepAlive }).then(
      () => true,
      () => false,
    );
    if (!done) break;
    const { offset } = slice.at(-1)!;
    await commit(String(BigInt(offset) + 1n));
    payload.resolveOffset(offset);
  }
  // kafkajs joins its group again, or gives up, by what the heartbeat said.
  if (lost) throw lost;
}

function received(
  topic: string,
  partition: number,
  { key, value, headers = {}, offset }: KafkaMessage,
): ReceivedMessage {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const header = headers[name];
    texts[name] = String(Array.isArray(header) ? header[0] : header);
  }
  return {
    topic,
    partition,
    offset,
    key: key?.toString() ?? '',
    headers: texts,
    value: value?.toString() ?? '',
  };
}
