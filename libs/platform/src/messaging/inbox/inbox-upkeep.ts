import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '@evenkeel/contracts';
import { isPlaced } from '../cloud-events';
import type { MessageBatch } from '../event-transport.port';
import { originalOf, reasonOf } from './dead-letter';
import type { Inbox } from './inbox';
import { eraseSeen } from './inbox-rows';
import { parkedAmong, refuseReplay, replayRequests } from './parked-rows';
import type { SubscriptionOptions } from './subscription';

const LOOK_EVERY_MS = 1_000;
const ERASE_EVERY_MS = 3_600_000;
const KEEP_DAYS = 14;

/** Replays what an operator asks for, and erases old marks. */
export class InboxUpkeep {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private eraseAfter = 0;

  constructor(
    private readonly inbox: Inbox,
    private readonly options: SubscriptionOptions,
  ) {}

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.round().catch((error: unknown) => {
        this.options.log.warn({ message: 'the upkeep of the inbox was cut short', consumer: this.options.name, error });
      });
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async round(): Promise<void> {
    const { dataSource, name, topics, transport } = this.options;
    const aggregates = await replayRequests(dataSource.manager, name);
    for (const aggregate of aggregates) await this.replay(aggregate);
    if (aggregates.length > 0) {
      for (const topic of topics) {
        await transport.drain(`${name}.replay`, deadLetterTopic(topic), (batch) => this.replayLetters(batch));
      }
    }
    if (performance.now() >= this.eraseAfter) {
      await eraseSeen(dataSource.manager, KEEP_DAYS);
      this.eraseAfter = performance.now() + ERASE_EVERY_MS;
    }
  }

  /** In order of their numbers, until none is left or one fails again. */
  private async replay(aggregate: string): Promise<void> {
    const { dataSource, name, log } = this.options;
    try {
      while (await this.inbox.acceptParked(aggregate)) if (this.stopping.signal.aborted) return;
    } catch (error) {
      await refuseReplay(dataSource.manager, name, aggregate, reasonOf(error));
      log.error({ message: 'a replayed event failed again', consumer: name, error });
    }
  }

  /** Letters repeat what the table holds; one that the table lost is applied here. */
  private async replayLetters({ messages }: MessageBatch): Promise<void> {
    const { dataSource, name } = this.options;
    for (const letter of messages) {
      const message = originalOf(letter, name);
      if (!message || !isPlaced(message)) continue;
      const stillParked = await parkedAmong(dataSource.manager, name, [message.key]);
      if (stillParked.size === 0) await this.inbox.accept([message]);
    }
  }
}
