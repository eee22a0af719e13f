import { isDeepStrictEqual } from 'node:util';
import { PAID_PLAN_CODES } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import type { Answered } from '../provider/stripe-api';
import type { BillingStateView } from '../state/billing-state';
import { ReadBillingState } from '../state/read-billing-state';
import { accessUntil, termsOf } from '../subscriptions/access';
import { ApplyEvent, READ_PREFIX } from '../subscriptions/apply-event';
import type { PlacedFact } from '../subscriptions/facts';
import { eventOfAnswer } from '../subscriptions/fetch-subscription';
import { apply } from '../subscriptions/fold';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { askForRead } from '../subscriptions/stored-events';

/** Two answers of one second cannot be distinguished: by then the clock of the provider has moved on. */
const LOOK_AGAIN_MS = 2_000;

/** Applies what the provider answered about a subscription, as a fetched state. */
@Injectable()
export class ApplyAnswer {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly applying: ApplyEvent,
    private readonly reading: ReadBillingState,
  ) {}

  /** @returns what the person has now, with the subscription as the provider has just described it */
  async execute(userId: string, answered: Answered<object>): Promise<BillingStateView> {
    const event = eventOfAnswer(answered, this.config.planOfPrice);
    if (event === null) return this.reading.execute(userId);
    await this.dataSource.transaction((tx) => this.applying.execute(tx, event));
    const stored = await this.reading.stored(userId);
    const fact: PlacedFact = { id: event.id, created: answered.at, fact: event.fact! };
    const subscriptions = stored.subscriptions.map((one) =>
      one.id === event.subscriptionId ? this.as(one, fact) : one,
    );
    if (!isDeepStrictEqual(subscriptions, stored.subscriptions)) await this.lookAgain(event.subscriptionId!);
    return this.reading.shown({ ...stored, subscriptions });
  }

  /** A page that was paid: also of a price that is ours no longer what it sold is ours. */
  async page({ id, created, customer, subscription, client_reference_id: userId, metadata }: Stripe.Checkout.Session) {
    const plan = PAID_PLAN_CODES.find((code) => code === metadata?.['plan_code']) ?? null;
    await this.dataSource.transaction((tx) =>
      this.applying.execute(tx, {
        id: `${READ_PREFIX}${id}`,
        type: 'checkout.session.read',
        created: new Date(created * 1_000),
        customerId: customer as string,
        subscriptionId: subscription as string,
        userId,
        sessionId: id,
        // The subscription itself says what access it gives.
        fact: { kind: 'session', outcome: 'INCOMPLETE', isOurs: true, planCode: plan, provisionalEnd: null },
      }),
    );
  }

  /** An event of the same second may come after the answer in the order of events, and have been there before it. */
  private as({ id, state: before }: StoredSubscription, fact: PlacedFact): StoredSubscription {
    const state = apply(before, fact);
    return { id, state, accessUntil: accessUntil(state, termsOf(this.config)) };
  }

  private async lookAgain(id: string): Promise<void> {
    const due = new Date(this.clock.now().getTime() + LOOK_AGAIN_MS);
    await askForRead(this.dataSource.manager, { kind: 'subscription', id, reason: 'equal_second' }, due);
  }
}
