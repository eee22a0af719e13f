import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Consumer, TopicPartitionOffset } from 'kafkajs';

/** Partitions that are done at the same moment move on in one request. */
export class OffsetCommits {
  private waiting: TopicPartitionOffset[] = [];
  private request?: Promise<void>;

  constructor(private readonly consumer: Consumer) {}

  add(offset: TopicPartitionOffset): Promise<void> {
    this.waiting.push(offset);
    return (this.request ??= this.send());
  }

  private async send(): Promise<void> {
    await nextTurn();
    const offsets = this.waiting;
    this.waiting = [];
    this.request = undefined;
    await this.consumer.commitOffsets(offsets);
  }
}
