import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReceivedMessage } from '../cloud-events';
import { BATCH_SIZE } from '../event-transport.port';

/** One waits for the disk while the next is applied. */
const TRANSACTIONS_AT_ONCE = 3;

interface Delivery {
  messages: readonly ReceivedMessage[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Deliveries that wait at the same moment, each of a partition of its own, share a transaction of at most 500 events:
 * a transaction alone costs as much as dozens of events. When it fails, each delivery is tried in one of its own.
 */
export class DeliveryGatherer {
  private readonly waiting: Delivery[] = [];
  private running = 0;

  /** @param accept applies all of them in one transaction */
  constructor(private readonly accept: (messages: readonly ReceivedMessage[]) => Promise<void>) {}

  add(messages: readonly ReceivedMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ messages, resolve, reject });
      if (this.running < TRANSACTIONS_AT_ONCE) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running++;
    // Batches that were fetched together are delivered within one turn of the loop.
    await nextTurn();
    for (let group = this.take(); group.length > 0; group = this.take()) await this.acceptAll(group);
    this.running--;
  }

  private take(): Delivery[] {
    let size = 0;
    const beyond = this.waiting.findIndex(({ messages }) => (size += messages.length) > BATCH_SIZE);
    return this.waiting.splice(0, beyond < 0 ? this.waiting.length : Math.max(1, beyond));
  }

  private async acceptAll(group: readonly Delivery[]): Promise<void> {
    try {
      await this.accept(group.flatMap(({ messages }) => messages));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1) return group[0]!.reject(error);
      for (const one of group) await this.acceptAll([one]);
    }
  }
}
