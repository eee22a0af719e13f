import { randomUUID } from 'node:crypto';
import { SubscriptionChanged, SubscriptionState, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import type { InProcessBroker } from '@evenkeel/platform/messaging';
import { EventSource } from '@evenkeel/platform/testing/service';

/** In the place of billing. */
export class SubscriptionStream {
  private constructor(private readonly source: EventSource) {}

  static async open(broker: InProcessBroker): Promise<SubscriptionStream> {
    return new SubscriptionStream(
      await EventSource.open(broker, { streams: [SUBSCRIPTIONS_STREAM], source: '/billing' }),
    );
  }

  /** Publishes in this order. */
  publish(...states: readonly SubscriptionChanged[]): Promise<void> {
    return this.source.publish(...states.map((data) => ({ event: SubscriptionChanged, key: data.userId, data })));
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

export interface Access {
  /** Ends of the access of each subscription; null for one that gives none. */
  subscriptions?: readonly (string | null)[];
  /** Ends of grants; null for one without an end. */
  grants?: readonly (string | null)[];
}

/** Billing's events about a user. */
export function anAccess(userId: string, version: number, access: Access = {}): SubscriptionChanged {
  return {
    userId,
    version,
    subscriptions: (access.subscriptions ?? []).map(aSubscription),
    grants: (access.grants ?? []).map((until) => ({ id: randomUUID(), until })),
    cause: 'customer.subscription.updated',
    changedAt: '2026-01-31T09:00:02.000Z',
  };
}

function aSubscription(accessUntil: string | null): SubscriptionState {
  return {
    id: 'sub_1',
    provider: 'STRIPE',
    planCode: 'premium_monthly',
    status: 'ACTIVE',
    interval: 'month',
    recurringMicros: 7_990_000,
    startedAt: '2025-12-31T09:00:00.000Z',
    currentPeriodEnd: null,
    cancelAt: null,
    trialEnd: null,
    pastDueSince: null,
    collectionPaused: false,
    accessUntil,
  };
}
