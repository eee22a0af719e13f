import { Clock } from '@evenkeel/kernel';
import { isRevoked, LiveSessions, type AccessClaims, type SignedIn } from '@evenkeel/platform/auth';
import { BatchedReads, poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { providerOf } from '../plans/plan-catalogue';
import type { FoldedState } from '../subscriptions/facts';
import { billingStateOf, periodOf, type StoredAccess } from './billing-state';
import type { BillingStateView } from './billing-state.view';

/** Somebody who is signed in, with what was stored of them when their session was looked at. */
export interface Payer extends SignedIn {
  stored: StoredAccess;
}

/** Prepared once for each connection, and one for all who ask at the same time: a person's app asks for it at every start. */
const FIND = {
  name: 'billing-state',
  text: `
    SELECT user_id || ' ' || session_id AS key, ${isRevoked('asked.user_id', 'asked.session_id')} AS "isRevoked",
      (SELECT json_agg(json_build_object('id', subscription_id, 'state', state, 'accessUntil', access_until))
       FROM subscriptions WHERE user_id = asked.user_id) AS subscriptions,
      (SELECT json_agg(until) FROM grants WHERE user_id = asked.user_id AND revoked_at IS NULL) AS grants,
      (SELECT used FROM usage_months WHERE user_id = asked.user_id AND period = $3) AS used
    FROM unnest($1::uuid[], $2::uuid[]) AS asked (user_id, session_id)`,
};

interface FoundRow {
  /** The user and the session. */
  key: string;
  isRevoked: boolean;
  subscriptions: { id: string; state: FoldedState; accessUntil: string | null }[] | null;
  grants: (string | null)[] | null;
  used: number | null;
}

interface Found {
  isRevoked: boolean;
  stored: StoredAccess;
}

/** Reads what is stored of a user: for a signed-in one by the statement that says whether their session still lives. */
@Injectable()
export class ReadBillingState extends LiveSessions<Payer> {
  private readonly reads = new BatchedReads<Found>((keys) => this.foundOf(keys));

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** A session lives until `RememberRevokedSessions` has heard that it ended. */
  override async find({ sub, sid }: AccessClaims): Promise<Payer | null> {
    const [found] = await this.reads.find(`${sub} ${sid}`);
    return found!.isRevoked ? null : { userId: sub, sessionId: sid, stored: found!.stored };
  }

  async execute(userId: string): Promise<BillingStateView> {
    return this.shown(await this.stored(userId));
  }

  shown(stored: StoredAccess): BillingStateView {
    return billingStateOf(stored, { now: this.clock.now(), provider: providerOf(this.config) });
  }

  /** One round trip, after this was asked for. */
  async stored(userId: string): Promise<StoredAccess> {
    const [found] = await this.reads.find(`${userId} ${userId}`);
    return found!.stored;
  }

  private async foundOf(keys: string[]): Promise<ReadonlyMap<string, Found>> {
    const [userIds, sessionIds] = [0, 1].map((place) => keys.map((key) => key.split(' ')[place]));
    const values = [userIds, sessionIds, periodOf(this.clock.now())];
    const { rows } = await poolOf(this.dataSource).query<FoundRow>({ ...FIND, values });
    return new Map(rows.map((row) => [row.key, { isRevoked: row.isRevoked, stored: storedIn(row) }]));
  }
}

function storedIn({ subscriptions, grants, used }: FoundRow): StoredAccess {
  return {
    subscriptions: (subscriptions ?? []).map(({ id, state, accessUntil }) => ({
      ...{ id, state },
      accessUntil: at(accessUntil),
    })),
    grants: (grants ?? []).map(at),
    used: used ?? 0,
  };
}

function at(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
