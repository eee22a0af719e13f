import type { Cells } from './copy-table';
import type { MadeAdjustment, MadeInvoice, MadeVersion } from './subscribers';

const MOVEMENTS = ['new', 'reactivation', 'expansion', 'contraction', 'churn'] as const;

export type MadeMovement = (typeof MOVEMENTS)[number];

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function movementOf({ mrrMicros, movedMicros, hadPaid }: MadeVersion): MadeMovement | null {
  if (movedMicros === 0) return null;
  if (mrrMicros === movedMicros) return hadPaid ? 'reactivation' : 'new';
  if (mrrMicros === 0) return 'churn';
  return movedMicros > 0 ? 'expansion' : 'contraction';
}

/** The sums over what subscribers make, as the consumer of its events keeps them. */
export class SubscriptionRollups {
  private readonly days = new Map<string, Record<MadeMovement, { micros: number; users: number }>>();
  private readonly plans = new Map<string, { subscribers: number; micros: number }>();
  private readonly invoiceDays = new Map<string, [paid: number, gross: number, refunded: number, disputed: number]>();
  private readonly standing = { ACTIVE: 0, PAST_DUE: 0, TRIALING: 0, scheduled: 0 };
  private readonly granted: string[] = [];

  version(version: MadeVersion): void {
    const { before, userId, hasGrant } = version;
    this.move(version);
    if (before) this.addPlan(version, before, -1);
    this.addPlan(version, version, 1);
    if (before) this.stand(before, -1);
    this.stand(version, 1);
    if (hasGrant) this.granted.push(userId);
  }

  invoice({ paidMs, amountMicros }: MadeInvoice): void {
    const day = this.invoiceDayOf(paidMs);
    day[0]++;
    day[1] += amountMicros;
  }

  adjustment({ atMs, kind, amountMicros }: MadeAdjustment): void {
    const day = this.invoiceDayOf(atMs);
    if (kind === 'refund') day[2] += amountMicros;
    else day[3] += kind === 'dispute' ? amountMicros : -amountMicros;
  }

  *tables(): Iterable<[table: string, columns: string, rows: Cells[]]> {
    yield [
      'subscription_days',
      'day, new_micros, reactivation_micros, expansion_micros, contraction_micros, churn_micros, new_subscribers, reactivated, churned',
      [...this.days].map(([day, moved]) => [
        ...[day, ...MOVEMENTS.map((movement) => moved[movement].micros)],
        ...[moved.new.users, moved.reactivation.users, moved.churn.users],
      ]),
    ];
    yield [
      'plan_days',
      'day, plan, subscribers, mrr_micros',
      [...this.plans].map(([key, { subscribers, micros }]) => [...key.split(' '), subscribers, micros]),
    ];
    const { ACTIVE, PAST_DUE, TRIALING, scheduled } = this.standing;
    yield [
      'standing_totals',
      'active, past_due, trialing, scheduled_to_cancel',
      [[ACTIVE, PAST_DUE, TRIALING, scheduled]],
    ];
    yield ['granted_users', 'user_id, until', this.granted.map((userId) => [userId, 'infinity'])];
    yield [
      'invoice_days',
      'day, paid, gross_micros, refunded_micros, disputed_micros',
      [...this.invoiceDays].map(([day, sums]) => [day, ...sums]),
    ];
  }

  private move(version: MadeVersion): void {
    const movement = movementOf(version);
    if (movement === null) return;
    const day = dayOf(version.atMs);
    let moved = this.days.get(day);
    if (!moved) {
      const none = MOVEMENTS.map((name) => [name, { micros: 0, users: 0 }]);
      this.days.set(day, (moved = Object.fromEntries(none) as Record<MadeMovement, { micros: number; users: number }>));
    }
    moved[movement].micros += Math.abs(version.movedMicros);
    moved[movement].users++;
  }

  /** What one of two versions brings or takes on the day of the later one. */
  private addPlan({ atMs }: MadeVersion, { plan, mrrMicros }: MadeVersion, sign: 1 | -1): void {
    if (plan === null) return;
    const key = `${dayOf(atMs)} ${plan}`;
    let change = this.plans.get(key);
    if (!change) this.plans.set(key, (change = { subscribers: 0, micros: 0 }));
    change.micros += sign * mrrMicros;
    if (mrrMicros > 0) change.subscribers += sign;
  }

  private stand({ status, isScheduledToCancel }: MadeVersion, sign: 1 | -1): void {
    if (status !== null) this.standing[status] += sign;
    if (isScheduledToCancel) this.standing.scheduled += sign;
  }

  private invoiceDayOf(ms: number): [number, number, number, number] {
    const day = dayOf(ms);
    let sums = this.invoiceDays.get(day);
    if (!sums) this.invoiceDays.set(day, (sums = [0, 0, 0, 0]));
    return sums;
  }
}
