import type { EntityManager } from 'typeorm';
import type { CountedVersion, MovementKind, StatedVersion } from './movements';

/** By how much the movements of one day change. */
type DayChange = Record<MovementKind, number> & { subscribers: Record<'new' | 'reactivation' | 'churn', number> };

interface PlanChange {
  subscribers: number;
  micros: number;
}

type Standing = Pick<StatedVersion, 'active' | 'pastDue' | 'trialing' | 'scheduledToCancel'>;

const NO_STANDING: Standing = { active: 0, pastDue: 0, trialing: 0, scheduledToCancel: 0 };

const DAYS = `
  INSERT INTO subscription_days AS t (day, new_micros, reactivation_micros, expansion_micros, contraction_micros,
    churn_micros, new_subscribers, reactivated, churned)
  SELECT day, "new", reactivation, expansion, contraction, churn, "newSubscribers", reactivated, churned
  FROM jsonb_to_recordset($1::jsonb) AS change (day date, "new" bigint, reactivation bigint, expansion bigint,
    contraction bigint, churn bigint, "newSubscribers" bigint, reactivated bigint, churned bigint)
  ON CONFLICT (day) DO UPDATE SET
    new_micros = t.new_micros + excluded.new_micros,
    reactivation_micros = t.reactivation_micros + excluded.reactivation_micros,
    expansion_micros = t.expansion_micros + excluded.expansion_micros,
    contraction_micros = t.contraction_micros + excluded.contraction_micros,
    churn_micros = t.churn_micros + excluded.churn_micros,
    new_subscribers = t.new_subscribers + excluded.new_subscribers,
    reactivated = t.reactivated + excluded.reactivated, churned = t.churned + excluded.churned`;

const PLANS = `
  INSERT INTO plan_days AS t (day, plan, subscribers, mrr_micros)
  SELECT day, plan, subscribers, micros
  FROM jsonb_to_recordset($1::jsonb) AS change (day date, plan text, subscribers bigint, micros bigint)
  ON CONFLICT (day, plan) DO UPDATE SET
    subscribers = t.subscribers + excluded.subscribers, mrr_micros = t.mrr_micros + excluded.mrr_micros`;

const STANDING = `
  UPDATE standing_totals SET active = active + $1, past_due = past_due + $2, trialing = trialing + $3,
    scheduled_to_cancel = scheduled_to_cancel + $4`;

const GRANTS_ENDED = 'DELETE FROM granted_users WHERE user_id = ANY ($1::uuid[])';

const GRANTED = `
  INSERT INTO granted_users (user_id, until) SELECT * FROM unnest($1::uuid[], $2::timestamptz[])
  ON CONFLICT (user_id) DO UPDATE SET until = excluded.until`;

/** By how much the versions of one delivery change the rollups. */
export class SubscriptionRollups {
  private readonly days = new Map<string, DayChange>();
  private readonly plans = new Map<string, PlanChange & { day: string; plan: string }>();
  private readonly standing = { ...NO_STANDING };
  private readonly granted = new Map<string, string | null>();

  /**
   * Versions of one user as they were counted, and as they count now.
   * @param before the version before both, if any
   */
  replace(before: CountedVersion | undefined, old: readonly CountedVersion[], now: readonly CountedVersion[]): void {
    this.add(before, old, -1);
    this.add(before, now, 1);
    this.stand(old.at(-1) ?? before, now.at(-1)!);
  }

  async write(tx: EntityManager): Promise<void> {
    if (this.days.size > 0) await tx.query(DAYS, [JSON.stringify([...this.days].map(dayRow))]);
    if (this.plans.size > 0) await tx.query(PLANS, [JSON.stringify([...this.plans.values()])]);
    const { active, pastDue, trialing, scheduledToCancel } = this.standing;
    const changes = [active, pastDue, trialing, scheduledToCancel];
    if (changes.some((change) => change !== 0)) await tx.query(STANDING, changes);
    const ended = [...this.granted].filter(([, until]) => until === null).map(([userId]) => userId);
    if (ended.length > 0) await tx.query(GRANTS_ENDED, [ended]);
    const granted = [...this.granted].filter(([, until]) => until !== null);
    if (granted.length === 0) return;
    await tx.query(GRANTED, [granted.map(([userId]) => userId), granted.map(([, until]) => until)]);
  }

  private add(before: CountedVersion | undefined, versions: readonly CountedVersion[], sign: 1 | -1): void {
    let last: CountedVersion | undefined = before;
    for (const version of versions) {
      this.addMovement(version, sign);
      this.addPlans(last?.plans ?? {}, version, sign);
      last = version;
    }
  }

  private addMovement({ day, movement, movementMicros }: CountedVersion, sign: 1 | -1): void {
    if (movement === null) return;
    let change = this.days.get(day);
    if (!change) this.days.set(day, (change = noChange()));
    change[movement] += sign * Math.abs(movementMicros);
    if (movement !== 'expansion' && movement !== 'contraction') change.subscribers[movement] += sign;
  }

  private addPlans(before: StatedVersion['plans'], { day, plans }: CountedVersion, sign: 1 | -1): void {
    for (const plan of new Set([...Object.keys(before), ...Object.keys(plans)])) {
      const [micros, microsBefore] = [plans[plan] ?? 0, before[plan] ?? 0];
      // A plan that appears has a row, also for a trial.
      if (micros === microsBefore && plan in before) continue;
      const key = `${day} ${plan}`;
      let change = this.plans.get(key);
      if (!change) this.plans.set(key, (change = { day, plan, subscribers: 0, micros: 0 }));
      change.micros += sign * (micros - microsBefore);
      change.subscribers += sign * (Number(micros > 0) - Number(microsBefore > 0));
    }
  }

  private stand(old: CountedVersion | undefined, now: CountedVersion): void {
    // A version that comes late changes what was, not what is.
    if (old !== undefined && old.version >= now.version) return;
    const before = old ?? NO_STANDING;
    for (const name of Object.keys(NO_STANDING) as (keyof Standing)[]) this.standing[name] += now[name] - before[name];
    if (now.grantedUntil !== (old?.grantedUntil ?? null)) this.granted.set(now.userId, now.grantedUntil);
  }
}

function noChange(): DayChange {
  const subscribers = { new: 0, reactivation: 0, churn: 0 };
  return { new: 0, reactivation: 0, expansion: 0, contraction: 0, churn: 0, subscribers };
}

function dayRow([day, { subscribers, ...micros }]: [string, DayChange]): object {
  const { new: newSubscribers, reactivation: reactivated, churn: churned } = subscribers;
  return { day, ...micros, newSubscribers, reactivated, churned };
}
