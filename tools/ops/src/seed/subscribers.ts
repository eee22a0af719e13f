import type { Random } from '@evenkeel/kernel/random';

const DAY_MS = 86_400_000;

/** Of the plans: what is due, what it is in a month, and how long a payment lasts. */
const PLANS = {
  premium_monthly: { dueMicros: 7_990_000, mrrMicros: 7_990_000, days: 30 },
  premium_yearly: { dueMicros: 59_990_000, mrrMicros: 4_999_167, days: 365 },
} as const;

type MadePlan = keyof typeof PLANS;

export interface MadeVersion {
  userId: string;
  version: number;
  atMs: number;
  /** Null without a live subscription. */
  plan: MadePlan | null;
  status: 'ACTIVE' | 'PAST_DUE' | 'TRIALING' | null;
  isScheduledToCancel: boolean;
  hasGrant: boolean;
  mrrMicros: number;
  hasPaid: boolean;
  /** MRR less that of the version before. */
  movedMicros: number;
  hadPaid: boolean;
}

export interface MadeInvoice {
  id: string;
  userId: string;
  plan: MadePlan;
  amountMicros: number;
  taxMicros: number;
  reason: 'first' | 'cycle';
  paidMs: number;
  periodEndMs: number;
}

export interface MadeAdjustment {
  id: string;
  userId: string;
  invoiceId: string;
  kind: 'refund' | 'dispute' | 'dispute_won' | 'dispute_lost';
  amountMicros: number;
  atMs: number;
}

/** The consumer of the rows of subscribers. */
interface SubscriptionBooks {
  version(version: MadeVersion): void;
  invoice(invoice: MadeInvoice): void;
  adjustment(adjustment: MadeAdjustment): void;
}

/** People who subscribe, pay, change their plan, leave and come back; each life by itself. */
export class Subscribers {
  private last: MadeVersion | null = null;

  constructor(
    private readonly firstMs: number,
    private readonly endMs: number,
    private readonly random: Random,
    private readonly books: SubscriptionBooks,
  ) {}

  /** One life, from a start that is likelier late than early, to the end. */
  live(): void {
    const { random } = this;
    const startMs = this.firstMs + Math.floor(Math.sqrt(random.ratio()) * (this.endMs - this.firstMs));
    const userId = random.uuid(startMs);
    this.last = null;
    let plan: MadePlan = random.oneIn(3) ? 'premium_yearly' : 'premium_monthly';
    if (random.oneIn(1_000)) return this.state(userId, startMs, null, null, { hasGrant: true });
    let atMs = startMs;
    if (random.oneIn(4)) {
      this.state(userId, atMs, plan, 'TRIALING');
      atMs += 7 * DAY_MS;
      if (random.oneIn(3)) return this.state(userId, atMs, null, null);
    }
    while (atMs < this.endMs) {
      this.pay(userId, plan, atMs);
      const periodEndMs = atMs + PLANS[plan].days * DAY_MS;
      const fate = random.below(100);
      atMs = periodEndMs;
      if (fate < 5) {
        this.leave(userId, plan, periodEndMs);
        if (!random.oneIn(5)) return;
        atMs = periodEndMs + 40 * DAY_MS;
      } else if (fate < 7) {
        this.state(userId, periodEndMs, plan, 'PAST_DUE');
        atMs = periodEndMs + 3 * DAY_MS;
      } else if (fate < 10) {
        plan = plan === 'premium_monthly' ? 'premium_yearly' : 'premium_monthly';
      }
    }
  }

  private pay(userId: string, plan: MadePlan, paidMs: number): void {
    const { random, last } = this;
    if (last?.plan !== plan || last.status !== 'ACTIVE') this.state(userId, paidMs, plan, 'ACTIVE');
    const { dueMicros, days } = PLANS[plan];
    const invoice: MadeInvoice = {
      id: `in_${random.hex(24)}`,
      userId,
      plan,
      amountMicros: dueMicros,
      taxMicros: 0,
      paidMs,
      reason: last?.hasPaid ? 'cycle' : 'first',
      periodEndMs: paidMs + days * DAY_MS,
    };
    this.books.invoice(invoice);
    if (random.oneIn(200)) this.adjust(invoice, 'refund', `re_${random.hex(24)}`, 2);
    if (!random.oneIn(2_000)) return;
    const dispute = `dp_${random.hex(24)}`;
    this.adjust(invoice, 'dispute', dispute, 5);
    this.adjust(invoice, random.oneIn(2) ? 'dispute_won' : 'dispute_lost', dispute, 30);
  }

  private leave(userId: string, plan: MadePlan, periodEndMs: number): void {
    this.state(userId, periodEndMs - 10 * DAY_MS, plan, 'ACTIVE', { isScheduledToCancel: true });
    this.state(userId, periodEndMs, null, null);
  }

  private adjust(invoice: MadeInvoice, kind: MadeAdjustment['kind'], id: string, daysLater: number): void {
    const { id: invoiceId, userId, amountMicros, paidMs } = invoice;
    const atMs = paidMs + daysLater * DAY_MS;
    if (atMs < this.endMs) this.books.adjustment({ id, userId, invoiceId, kind, amountMicros, atMs });
  }

  private state(
    userId: string,
    atMs: number,
    plan: MadePlan | null,
    status: MadeVersion['status'],
    { hasGrant = false, isScheduledToCancel = false }: Partial<MadeVersion> = {},
  ): void {
    if (atMs >= this.endMs) return;
    const before = this.last;
    const mrrMicros = plan === null || status === 'TRIALING' ? 0 : PLANS[plan].mrrMicros;
    const hadPaid = before?.hasPaid ?? false;
    this.last = {
      userId,
      version: (before?.version ?? 0) + 1,
      atMs,
      plan,
      status,
      isScheduledToCancel,
      hasGrant,
      mrrMicros,
      hasPaid: hadPaid || mrrMicros > 0,
      movedMicros: mrrMicros - (before?.mrrMicros ?? 0),
      hadPaid,
    };
    this.books.version(this.last);
  }
}
