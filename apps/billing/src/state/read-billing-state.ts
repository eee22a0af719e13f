import { Clock } from '@evenkeel/kernel';
import { LiveSessions, type AccessClaims, type SignedIn } from '@evenkeel/platform/auth';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { providerOf } from '../plans/plan-catalogue';
import { isRevoked } from '../remote-sign-in/revoked-sessions';
import type { FoldedState } from '../subscriptions/facts';
import { billingStateOf, periodOf, type BillingStateView, type StoredAccess } from './billing-state';

/** Somebody who is signed in, with what was stored of them when their session was looked at. */
export interface Payer extends SignedIn {
  stored: StoredAccess;
}

/** Prepared once for each connection: a person's app asks for it at every start. */
const FIND = {
  name: 'billing-state',
  text: `
    SELECT ${isRevoked('asked.user_id', 'asked.session_id')} AS "isRevoked",
      (SELECT json_agg(json_build_object('id', subscription_id, 'state', state, 'accessUntil', access_until))
       FROM subscriptions WHERE user_id = asked.user_id) AS subscriptions,
      (SELECT json_agg(until) FROM grants WHERE user_id = asked.user_id AND revoked_at IS NULL) AS grants,
      (SELECT used FROM usage_months WHERE user_id = asked.user_id AND period = $3) AS used
    FROM (VALUES ($1::uuid, $2::uuid)) AS asked (user_id, session_id)`,
};

interface FoundRow {
  isRevoked: boolean;
  subscriptions: { id: string; state: FoldedState; accessUntil: string | null }[] | null;
  grants: (string | null)[] | null;
  used: number | null;
}

/** Reads what is stored of a user: for a signed-in one by the statement that says whether their session still lives. */
@Injectable()
export class ReadBillingState extends LiveSessions<Payer> {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** A session lives until `RememberRevokedSessions` has read that it ended. */
  override async find({ sub, sid }: AccessClaims): Promise<Payer | null> {
    const row = await this.read(sub, sid);
    return row.isRevoked ? null : { userId: sub, sessionId: sid, stored: storedIn(row) };
  }

  async execute(userId: string): Promise<BillingStateView> {
    return this.shown(await this.stored(userId));
  }

  shown(stored: StoredAccess): BillingStateView {
    return billingStateOf(stored, { now: this.clock.now(), provider: providerOf(this.config) });
  }

  /** One round trip, after this was asked for. */
  async stored(userId: string): Promise<StoredAccess> {
    return storedIn(await this.read(userId, userId));
  }

  private async read(userId: string, sessionId: string): Promise<FoundRow> {
    const values = [userId, sessionId, periodOf(this.clock.now())];
    const { rows } = await poolOf(this.dataSource).query<FoundRow>({ ...FIND, values });
    return rows[0]!;
  }
}

function storedIn({ subscriptions, grants, used }: FoundRow): StoredAccess {
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

function at(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
