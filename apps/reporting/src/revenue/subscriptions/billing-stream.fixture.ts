import { InvoiceAdjusted, InvoicePaid, SubscriptionChanged, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { EventSource } from '@evenkeel/platform/testing/service';
import type { PublishedEvent } from '../../projection/history.fixture';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import type { Reporting } from '../reporting.fixture';

const CLASSES = [SubscriptionChanged, InvoicePaid, InvoiceAdjusted];

/** In the place of billing: what it publishes is read by the worker of reporting. */
export class BillingStream {
  private constructor(
    private readonly source: EventSource,
    private readonly reporting: Reporting,
  ) {}

  static async open(reporting: Reporting): Promise<BillingStream> {
    const source = await EventSource.open(reporting.stream.broker, {
      stream: SUBSCRIPTIONS_STREAM,
      source: '/billing',
    });
    return new BillingStream(source, reporting);
  }

  /** Publishes in this order; resolves when reporting has applied the events. */
  async publish(...events: readonly PublishedEvent[]): Promise<void> {
    const before = await this.applied();
    await this.send(...events);
    await eventually(async () => (await this.applied()) === before + events.length, { withinMs: 20_000 });
  }

  async send(...events: readonly PublishedEvent[]): Promise<void> {
    const classOf = (type: string) => CLASSES.find((known) => known.type === type)!;
    await this.source.publish(...events.map(({ type, key, data }) => ({ event: classOf(type), key, data })));
  }

  /** Forgets all subscriptions and invoices, and goes on with the stream where it is. */
  async forget(): Promise<void> {
    await this.query(`TRUNCATE ${SUBSCRIPTIONS_PROJECTION.tables.join(', ')}`);
  }

  close(): Promise<void> {
    return this.source.close();
  }

  private async applied(): Promise<number> {
    const [row] = await this.query<{ applied: string }>(
      `SELECT applied FROM progress WHERE subscription = 'reporting.subscriptions'`,
    );
    return Number(row!.applied);
  }

  private query<Row>(sql: string): Promise<Row[]> {
    return this.reporting.database.dataSource.query<Row[]>(sql);
  }
}
