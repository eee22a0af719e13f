import { PLANS, SubscriptionChanged, type AccessGrant, type SubscriptionState } from '@evenkeel/contracts';
import { announce } from '@evenkeel/platform/messaging';
import { queryPrepared } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { scheduledEnd } from './access';
import type { FoldedState } from './facts';

export interface StoredSubscription {
  id: string;
  state: FoldedState;
  accessUntil: Date | null;
}

const SUBSCRIPTIONS = `
  SELECT subscription_id AS id, state, access_until AS "accessUntil" FROM subscriptions
  WHERE user_id = $1 ORDER BY subscription_id`;

const GRANTS = `SELECT id, until FROM grants WHERE user_id = $1 AND revoked_at IS NULL ORDER BY id`;

/** Publishes everything that gives a user access, in the transaction of the change. */
@Injectable()
export class PublishAccess {
  /**
   * Ends with the lock of the user's row: what is read afterwards is what is published.
   * @param change its cause is the event of the provider, or what an operator did; its time is by the provider's clock
   */
  async execute(tx: EntityManager, userId: string, change: { cause: string; changedAt: Date }): Promise<void> {
    const { cause, changedAt } = change;
    const [row] = await queryPrepared<[{ version: number }]>(
      tx,
      `INSERT INTO access_versions AS v (user_id, version) VALUES ($1, 1)
       ON CONFLICT (user_id) DO UPDATE SET version = v.version + 1 RETURNING version`,
      [userId],
    );
    const subscriptions = await queryPrepared<StoredSubscription[]>(tx, SUBSCRIPTIONS, [userId]);
    const grants = await queryPrepared<{ id: string; until: Date | null }[]>(tx, GRANTS, [userId]);
    const data: SubscriptionChanged = {
      userId,
      version: row.version,
      subscriptions: subscriptions.map(publishedState),
      grants: grants.map(({ id, until }): AccessGrant => ({ id, until: until?.toISOString() ?? null })),
      cause,
      changedAt: changedAt.toISOString(),
    };
    await announce(tx, SubscriptionChanged, { key: userId, subject: userId, occurredAt: changedAt, data });
  }
}

/** Plain literals here and in `data`: objects that V8 makes of spread parts outlive every webhook by far. */
function publishedState({ id, state, accessUntil }: StoredSubscription): SubscriptionState {
  return {
    id,
    provider: 'STRIPE',
    planCode: state.planCode,
    status: state.status,
    interval: state.interval ?? (state.planCode && PLANS[state.planCode].interval),
    recurringMicros: state.recurringMicros,
    startedAt: state.startedAt,
    currentPeriodEnd: state.currentPeriodEnd,
    cancelAt: scheduledEnd(state)?.toISOString() ?? state.cancelAt,
    trialEnd: state.trialEnd,
    pastDueSince: state.pastDueSince,
    collectionPaused: state.collectionPaused,
    accessUntil: accessUntil?.toISOString() ?? null,
  };
}
