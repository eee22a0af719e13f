import { PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { eventually } from '@evenkeel/platform/testing';
import { EventSource } from '@evenkeel/platform/testing/service';
import type { DataSource } from 'typeorm';
import type { PublishedEvent } from '../projection/history.fixture';

export const silent = { warn: () => undefined, error: () => undefined };

/** The gateway and billing in one source, and the broker within the process that reporting reads. */
export class LedgerStream {
  private constructor(
    readonly broker: InProcessBroker,
    readonly source: EventSource,
  ) {}

  /** @param topics that get heartbeats: none for tests that count messages */
  static async open(topics: readonly string[] = [PAYMENTS_STREAM]): Promise<LedgerStream> {
    const broker = new InProcessBroker(silent);
    const streams = [PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM];
    return new LedgerStream(broker, await EventSource.open(broker, { streams, source: '/agent-gateway', topics }));
  }

  /** Publishes in this order; resolves when reporting has applied the events. */
  async publishAndWait(events: readonly PublishedEvent[], reporting: DataSource): Promise<void> {
    const before = await appliedBy(reporting);
    await this.publish(events);
    await eventually(async () => (await appliedBy(reporting)) === before + events.length, { withinMs: 20_000 });
  }

  publish(events: readonly PublishedEvent[]): Promise<void> {
    return this.source.publish(...events);
  }

  async close(): Promise<void> {
    await this.source.stopRelay();
    await this.broker.close();
    await this.source.close();
  }
}

async function appliedBy(reporting: DataSource): Promise<number> {
  const [row] = await reporting.query<{ applied: string }[]>('SELECT sum(applied) AS applied FROM progress');
  return Number(row!.applied);
}
