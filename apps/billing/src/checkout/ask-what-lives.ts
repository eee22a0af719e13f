import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { ProviderRefusal, StripeApi } from '../provider/stripe-api';
import type { WaitingTime } from '../provider/waiting-time';
import { ApplyEvent, type ProviderEvent } from '../subscriptions/apply-event';
import { eventOfAnswer } from '../subscriptions/event-of-answer';
import { FetchSubscription } from '../subscriptions/fetch-subscription';

/** Who tries again at once need not wait for the same answer again. */
const ANSWER_HOLDS_MS = 10_000;

/** As many as a list of the provider has on a page: nobody has more. */
const MOST = 100;

/** Asks the provider for what it may still collect from somebody: our news of it may be late. */
@Injectable()
export class AskWhatLives {
  /** When nothing lived there, by customer: elapsed milliseconds. */
  private readonly nothing = new Map<string, number>();

  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
    private readonly fetching: FetchSubscription,
    private readonly apply: ApplyEvent,
  ) {}

  /**
   * Applies what it answers.
   * @param customerId null for somebody whom the provider does not know yet
   * @param known subscriptions that live as far as we know
   * @returns whether it has said anything
   * @throws ProviderUnavailable, ProviderRefusal
   */
  async execute(customerId: string | null, known: readonly string[], waiting: WaitingTime): Promise<boolean> {
    if (customerId !== null && known.length === 0 && this.hasJustSaid(customerId)) return false;
    const listed = customerId === null ? [] : await this.list(customerId, waiting);
    const ids = new Set(listed.map(({ subscriptionId }) => subscriptionId));
    // A list leaves out what has ended.
    const others = known.filter((id) => !ids.has(id)).map((id) => this.fetching.execute(id, waiting));
    const events = [...listed, ...(await Promise.all(others))].filter((event) => event !== null);
    for (const event of events) await this.dataSource.transaction((tx) => this.apply.execute(tx, event));
    if (events.length === 0 && customerId !== null) this.nothing.set(customerId, this.clock.elapsedMs());
    return events.length > 0;
  }

  private hasJustSaid(customerId: string): boolean {
    const since = this.clock.elapsedMs() - ANSWER_HOLDS_MS;
    for (const [id, at] of this.nothing) if (at <= since) this.nothing.delete(id);
    return this.nothing.has(customerId);
  }

  private async list(customer: string, waiting: WaitingTime): Promise<ProviderEvent[]> {
    const wanted = { customer, limit: MOST, expand: ['data.latest_invoice'] };
    try {
      const { result, at } = await this.provider.call((stripe) => stripe.subscriptions.list(wanted), waiting);
      const events = result.data.map((one) => eventOfAnswer({ result: one, at }, this.config.planOfPrice));
      return events.filter((event) => event !== null);
    } catch (error) {
      // A customer who was deleted there has nothing.
      if (error instanceof ProviderRefusal && error.isMissing) return [];
      throw error;
    }
  }
}
