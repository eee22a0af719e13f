import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { Backoff, Wait } from '../wait';
import type { ReceivedMessage } from '../cloud-events';
import { BATCH_SIZE, type Deliver, type RunningReader, type MessagingLog } from '../event-transport.port';
import { ANSWER_LIMIT_MS, answeredWithin, SESSION_MS } from './kafka-client';

const IN_HAND_LIMIT_MS = 60_000;
const SIGN_OF_LIFE_WITHIN_MS = 60_000;

interface KafkaReaderOptions {
  kafka: Kafka;
  group: string;
  topics: readonly string[];
  deliver: Deliver;
  log: MessagingLog;
  /** From then on no answer is waited for. */
  ending?: AbortSignal;
  /** For tests; default `LIMITS`. */
  limits?: typeof LIMITS;
}

const LIMITS = {
  /** For the answers that it takes to connect, or to leave. */
  answerMs: ANSWER_LIMIT_MS,
  /** Between two signs of life: longer than a member waits at most for the others of its group to join. */
  silenceMs: 120_000,
};

/**
 * Reads with one consumer of kafkajs after another: one that fails, or that shows no sign of life, is given up. None begins again
 * by itself. kafkajs does so for each failure, also for those that its own end brings: the same consumer joins twice, one of both
 * is lost, and the group waits for it.
 */
export class KafkaReader implements RunningReader {
  private consumer?: Consumer;
  private readonly limits: typeof LIMITS;
  private readonly inHand = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;
  private lastSign = performance.now();

  constructor(private readonly options: KafkaReaderOptions) {
    this.limits = options.limits ?? LIMITS;
    this.ended = this.read();
  }

  isAlive(): boolean {
    return performance.now() - this.lastSign < SIGN_OF_LIFE_WITHIN_MS;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
    const { ending } = this.options;
    const left = answeredWithin(this.limits.answerMs, async () => this.consumer?.disconnect(), ending);
    // Each waits for the broker behind its transaction.
    const handled = answeredWithin(IN_HAND_LIMIT_MS, () => Promise.all(this.inHand), ending);
    await Promise.allSettled([left, handled]);
  }

  /** Until it stops. Broker or topics may not be there yet, or not any more. */
  private async read(): Promise<void> {
    const { group, log } = this.options;
    const { signal } = this.stopping;
    const backoff = new Backoff(500, 5_000);
    while (!signal.aborted) {
      const consumer = this.open();
      try {
        using attempt = new Wait(signal);
        const silent = this.untilSilent(attempt.signal);
        const crashed = new Promise<never>((_, reject) => {
          consumer.on(consumer.events.CRASH, ({ payload: { error } }) => reject(error));
        });
        await Promise.race([this.start(consumer).then(() => silent), silent, crashed]);
      } catch (error) {
        this.consumer = undefined;
        giveUp(consumer);
        log.warn({ message: 'events cannot be read yet', group, error });
        await backoff.wait(signal);
      }
    }
  }

  private open(): Consumer {
    const consumer = this.options.kafka.consumer({
      groupId: this.options.group,
      sessionTimeout: SESSION_MS,
      heartbeatInterval: 3_000,
      rebalanceTimeout: 60_000,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 1_000,
      retry: { retries: 5, restartOnFailure: () => Promise.resolve(false) },
    });
    this.consumer = consumer;
    const { GROUP_JOIN, HEARTBEAT, FETCH } = consumer.events;
    for (const event of [GROUP_JOIN, HEARTBEAT, FETCH]) {
      consumer.on(event, () => {
        if (consumer === this.consumer) this.lastSign = performance.now();
        // It would hold partitions that nobody reads.
        else giveUp(consumer);
      });
    }
    return consumer;
  }

  private async start(consumer: Consumer): Promise<void> {
    const { topics, deliver } = this.options;
    const isWanted = (): boolean => consumer === this.consumer && !this.stopping.signal.aborted;
    await answeredWithin(this.limits.answerMs, async () => {
      try {
        await consumer.connect();
        await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      } finally {
        // Asked to disconnect before, it has connected all the same.
        if (!isWanted()) giveUp(consumer);
      }
    });
    if (!isWanted()) return;
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // All: one whose event is tried again holds up no other, and what comes together can be applied together.
      partitionsConsumedConcurrently: topics.length * STREAM_PARTITIONS,
      eachBatch: async (payload) => {
        if (consumer !== this.consumer) throw new Error('this consumer was given up');
        const delivered = deliverBatch(payload, deliver, consumer);
        this.inHand.add(delivered);
        await delivered.finally(() => this.inHand.delete(delivered));
      },
    });
  }

  /** Resolves when the signal says so. @throws Error after a silence that no working broker makes */
  private async untilSilent(signal: AbortSignal): Promise<void> {
    const { silenceMs } = this.limits;
    const began = performance.now();
    while (!signal.aborted) {
      const leftMs = Math.max(began, this.lastSign) + silenceMs - performance.now();
      if (leftMs <= 0) throw new Error(`Kafka has given no sign of life for ${silenceMs} ms`);
      await sleep(leftMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Not waited for: what a broker leaves without an answer may never end. */
function giveUp(consumer: Consumer): void {
  void consumer.disconnect().catch(() => undefined);
}

/**
 * Delivers what kafkajs fetched in batches of ours and commits behind each. Stops, leaving the rest to the next fetch,
 * when the partition is no longer ours or `deliver` rejects.
 */
async function deliverBatch(payload: EachBatchPayload, deliver: Deliver, consumer: Consumer): Promise<void> {
  const { topic, partition, messages } = payload.batch;
  let lost: Error | undefined;
  const keepAlive = async (): Promise<boolean> => {
    if (!payload.isRunning() || payload.isStale()) return false;
    await payload.heartbeat().catch((error: Error) => (lost = error));
    return lost === undefined;
  };
  for (let first = 0; first < messages.length; first += BATCH_SIZE) {
    if (!(await keepAlive())) break;
    const slice = messages.slice(first, first + BATCH_SIZE);
    const done = await deliver({ messages: slice.map((one) => received(topic, partition, one)), keepAlive }).then(
      () => true,
      () => false,
    );
    if (!done) break;
    const { offset } = slice.at(-1)!;
    await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(offset) + 1n) }]);
    payload.resolveOffset(offset);
  }
  // kafkajs joins its group again, or gives up, by what the heartbeat said.
  if (lost) throw lost;
}

function received(topic: string, partition: number, message: KafkaMessage): ReceivedMessage {
  const { key, value, headers = {}, offset } = message;
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const header = headers[name];
    texts[name] = String(Array.isArray(header) ? header[0] : header);
  }
  return { topic, partition, offset, key: key?.toString() ?? '', headers: texts, value: value?.toString() ?? '' };
}
