import { Clock } from '@evenkeel/kernel';
import { BatchedReads, poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { providerOf } from '../plans/plan-catalogue';
import type { FoldedState } from '../subscriptions/facts';
import { billingStateOf, periodOf, type StoredAccess } from './billing-state';
import type { BillingStateView } from './billing-state.view';

/** Prepared once for each connection, and one for all who ask at the same time: a person's app asks for it at every start. */
const FIND = {
  name: 'billing-state',
  text: `
    SELECT asked.id AS "userId",
      (SELECT json_agg(json_build_object('id', subscription_id, 'state', state, 'accessUntil', access_until))
       FROM subscriptions WHERE user_id = asked.id) AS subscriptions,
      (SELECT json_agg(until) FROM grants WHERE user_id = asked.id AND revoked_at IS NULL) AS grants,
      (SELECT used FROM usage_months WHERE user_id = asked.id AND period = $2) AS used
    FROM unnest($1::uuid[]) AS asked (id)`,
};

interface FoundRow {
  userId: string;
  subscriptions: { id: string; state: FoldedState; accessUntil: string | null }[] | null;
  grants: (string | null)[] | null;
  used: number | null;
}

@Injectable()
export class ReadBillingState {
  private readonly reads = new BatchedReads<FoundRow>((userIds) => this.rowsOf(userIds));

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute(userId: string): Promise<BillingStateView> {
    return this.shown(await this.stored(userId));
  }

  shown(stored: StoredAccess): BillingStateView {
    return billingStateOf(stored, { now: this.clock.now(), provider: providerOf(this.config) });
  }

  /** One round trip, after this was asked for. */
  async stored(userId: string): Promise<StoredAccess> {
    const [row] = await this.reads.find(userId);
    const { subscriptions, grants, used } = row!;
    return {
      subscriptions: (subscriptions ?? []).map(({ id, state, accessUntil }) => ({
        id,
        state,
        accessUntil: at(accessUntil),
      })),
      grants: (grants ?? []).map(at),
      used: used ?? 0,
    };
  }

  private async rowsOf(userIds: string[]): Promise<ReadonlyMap<string, FoundRow>> {
    const values = [userIds, periodOf(this.clock.now())];
    const { rows } = await poolOf(this.dataSource).query<FoundRow>({ ...FIND, values });
    return new Map(rows.map((row) => [row.userId, row]));
  }
}

function at(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
