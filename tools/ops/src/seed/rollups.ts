import { CREDIT_FACE_MICROS, REBATE_TIER_NAMES } from '@evenkeel/contracts';
import type { BusyDay, Cells, MadeCredit, MadePayment, MadeStatus } from './copy-table';

/** What is known of each wallet, in columns: a hundred bytes a wallet, however much it pays. */
class WalletSums {
  static readonly columns =
    'wallet, tier, lifetime_micros, paid_calls, credit_calls, first_payment_at, last_payment_at, ' +
    'rebate_earned_micros, rebate_issued_micros, change_micros, credits_issued, credits_redeemed';

  private readonly lifetimeMicros: Float64Array;
  private readonly earnedMicros: Float64Array;
  private readonly changeMicros: Float64Array;
  private readonly firstMs: Float64Array;
  private readonly lastMs: Float64Array;
  private readonly paidCalls: Uint32Array;
  private readonly creditsIssued: Uint32Array;
  private readonly creditsRedeemed: Uint32Array;
  private readonly tier: Uint8Array;
  private readonly monthCalls: Uint32Array;
  private readonly monthMicros: Float64Array;

  constructor(private readonly wallets: number) {
    const [amounts, counts] = [() => new Float64Array(wallets), () => new Uint32Array(wallets)];
    this.lifetimeMicros = amounts();
    this.earnedMicros = amounts();
    this.changeMicros = amounts();
    this.firstMs = amounts();
    this.lastMs = amounts();
    this.monthMicros = amounts();
    this.paidCalls = counts();
    this.creditsIssued = counts();
    this.creditsRedeemed = counts();
    this.monthCalls = counts();
    this.tier = new Uint8Array(wallets);
  }

  paid({ wallet, amountMicros, rebateMicros, verifiedMs, tier }: MadePayment): void {
    if (this.paidCalls[wallet] === 0) this.firstMs[wallet] = verifiedMs;
    this.lastMs[wallet] = verifiedMs;
    this.paidCalls[wallet]!++;
    this.lifetimeMicros[wallet]! += amountMicros;
    this.earnedMicros[wallet]! += rebateMicros;
    this.tier[wallet] = Math.max(this.tier[wallet]!, REBATE_TIER_NAMES.indexOf(tier!));
    this.monthCalls[wallet]!++;
    this.monthMicros[wallet]! += amountMicros;
  }

  issued(wallet: number): void {
    this.creditsIssued[wallet]!++;
  }

  redeemed(wallet: number, changeMicros: number): void {
    this.creditsRedeemed[wallet]!++;
    this.changeMicros[wallet]! += changeMicros;
  }

  /** Those that paid in the month, which begins without any. */
  *takeMonth(): Iterable<[wallet: number, paidCalls: number, grossMicros: number]> {
    for (let wallet = 0; wallet < this.wallets; wallet++) {
      if (this.monthCalls[wallet] === 0) continue;
      yield [wallet, this.monthCalls[wallet]!, this.monthMicros[wallet]!];
      this.monthCalls[wallet] = 0;
      this.monthMicros[wallet] = 0;
    }
  }

  tierCounts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const [wallet, tier] of this.tier.entries()) {
      if (this.paidCalls[wallet]! > 0) counts.set(tier, (counts.get(tier) ?? 0) + 1);
    }
    return counts;
  }

  *rows(addresses: readonly string[]): Iterable<Cells> {
    for (let wallet = 0; wallet < this.wallets; wallet++) {
      if (this.paidCalls[wallet] === 0) continue;
      yield [
        ...[addresses[wallet]!, REBATE_TIER_NAMES[this.tier[wallet]!]!, this.lifetimeMicros[wallet]!],
        ...[this.paidCalls[wallet]!, this.creditsRedeemed[wallet]!],
        ...[new Date(this.firstMs[wallet]!).toISOString(), new Date(this.lastMs[wallet]!).toISOString()],
        ...[this.earnedMicros[wallet]!, this.creditsIssued[wallet]! * CREDIT_FACE_MICROS, this.changeMicros[wallet]!],
        ...[this.creditsIssued[wallet]!, this.creditsRedeemed[wallet]!],
      ];
    }
  }
}

interface CreditDay {
  issued: number;
  redeemed: number;
  priceMicros: number;
  changeMicros: number;
}

/**
 * Keeps what the consumer would have kept of wallets, credits and states, while payments pass in order of time. What counts
 * by days and hours is counted by the database afterwards.
 */
export class Rollups {
  private readonly wallets: WalletSums;
  private readonly creditDays = new Map<string, CreditDay>();
  private readonly settlements = new Map<MadeStatus, { payments: number; amountMicros: number }>();
  private today: BusyDay | null = null;

  /** @param emit takes rows of `wallet_months` as soon as they are complete: too many to keep until the end */
  constructor(
    private readonly addresses: readonly string[],
    private readonly emit: (row: Cells) => void,
  ) {
    this.wallets = new WalletSums(addresses.length);
  }

  beginDay(day: BusyDay): void {
    if (this.today && this.today.date.slice(0, 7) !== day.date.slice(0, 7)) this.endMonth();
    this.today = day;
  }

  payment(payment: MadePayment): void {
    const { status, amountMicros } = payment;
    const sums = this.settlements.get(status) ?? { payments: 0, amountMicros: 0 };
    this.settlements.set(status, {
      payments: sums.payments + 1,
      amountMicros: sums.amountMicros + amountMicros,
    });
    if (status === 'settled') this.wallets.paid(payment);
  }

  issued({ wallet, issuedMs }: MadeCredit): void {
    this.wallets.issued(wallet);
    this.creditDayOf(issuedMs).issued++;
  }

  redeemed({ wallet, redemption }: MadeCredit): void {
    const { priceMicros, changeMicros, atMs } = redemption!;
    this.wallets.redeemed(wallet, changeMicros);
    const creditDay = this.creditDayOf(atMs);
    creditDay.redeemed++;
    creditDay.priceMicros += priceMicros;
    creditDay.changeMicros += changeMicros;
  }

  /** The rows of all tables that `emit` has not been given. */
  *rest(): Iterable<[table: string, columns: string, rows: Iterable<Cells>]> {
    this.endMonth();
    yield ['wallet_totals', WalletSums.columns, this.wallets.rows(this.addresses)];
    yield [
      'tier_totals',
      'tier, wallets',
      map(this.wallets.tierCounts(), ([tier, n]) => [REBATE_TIER_NAMES[tier]!, n]),
    ];
    yield [
      'credit_days',
      'day, issued, issued_face_micros, redeemed, redeemed_price_micros, change_micros',
      map(this.creditDays, ([day, { issued, redeemed, priceMicros, changeMicros }]) => [
        ...[day, issued, issued * CREDIT_FACE_MICROS, redeemed, priceMicros, changeMicros],
      ]),
    ];
    yield [
      'credit_totals',
      'issued, issued_face_micros, redeemed, redeemed_price_micros, change_micros',
      this.creditTotals(),
    ];
    yield [
      'settlement_totals',
      'status, payments, amount_micros',
      map(this.settlements, ([status, { payments, amountMicros }]) => [status, payments, amountMicros]),
    ];
  }

  private endMonth(): void {
    const month = `${this.today!.date.slice(0, 7)}-01`;
    for (const [wallet, paidCalls, grossMicros] of this.wallets.takeMonth()) {
      this.emit([month, this.addresses[wallet]!, paidCalls, grossMicros]);
    }
  }

  private *creditTotals(): Iterable<Cells> {
    const sums = [...this.creditDays.values()];
    const sum = (of: (day: CreditDay) => number): number => sums.reduce((total, day) => total + of(day), 0);
    const issued = sum((day) => day.issued);
    yield [
      ...[issued, issued * CREDIT_FACE_MICROS, sum((day) => day.redeemed)],
      ...[sum((day) => day.priceMicros), sum((day) => day.changeMicros)],
    ];
  }

  private creditDayOf(atMs: number): CreditDay {
    const date = new Date(atMs).toISOString().slice(0, 10);
    let day = this.creditDays.get(date);
    if (!day) this.creditDays.set(date, (day = { issued: 0, redeemed: 0, priceMicros: 0, changeMicros: 0 }));
    return day;
  }
}

function* map<Item>(items: Iterable<Item>, rowOf: (item: Item) => Cells): Iterable<Cells> {
  for (const item of items) yield rowOf(item);
}
