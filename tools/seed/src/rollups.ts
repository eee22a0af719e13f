import { CREDIT_FACE_MICROS, PAID_ENDPOINTS, REBATE_TIER_NAMES } from '@evenkeel/contracts';
import type { BusyDay } from './calendar';
import type { Cells } from './copy-table';
import type { MadeCredit, MadePayment, MadeStatus } from './made-rows';

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

const ENDPOINTS = PAID_ENDPOINTS.length;

/** Key of all endpoints together, behind the others. */
const ALL = ENDPOINTS;

const NAMES = [...PAID_ENDPOINTS.map(({ path }) => path), ''];
const DAY_MS = 86_400_000;

interface DayTotals {
  gross: number;
  cost: number;
  paid: number;
  credits: number;
  redeemed: number;
  lastMs: number | null;
}

interface CreditDay {
  issued: number;
  redeemed: number;
  priceMicros: number;
  changeMicros: number;
}

/** Tables with too many rows to keep until the end. */
export type LargeRollup = 'daily_payers' | 'wallet_months';

/** Keeps what the consumer would have kept, while payments pass in order of time. */
export class Rollups {
  private readonly wallets: WalletSums;
  private readonly days = new Map<string, DayTotals>();
  private readonly payerCounts = new Map<string, number>();
  private readonly creditDays = new Map<string, CreditDay>();
  private readonly settlements = new Map<MadeStatus, { payments: number; amountMicros: number }>();
  private readonly lastDay: Int16Array[];
  private today: BusyDay | null = null;
  private payersToday: number[][] = [];

  /** @param emit takes rows of large tables as soon as they are complete */
  constructor(
    private readonly addresses: readonly string[],
    private readonly emit: (table: LargeRollup, row: Cells) => void,
  ) {
    this.wallets = new WalletSums(addresses.length);
    this.lastDay = NAMES.map(() => new Int16Array(addresses.length).fill(-1));
  }

  beginDay(day: BusyDay): void {
    if (this.today && this.today.date.slice(0, 7) !== day.date.slice(0, 7)) this.endMonth();
    this.today = day;
    this.payersToday = NAMES.map(() => []);
  }

  /** In the order of the primary key: the table grows at its end. */
  endDay(): void {
    const { date } = this.today!;
    for (const [place, payers] of this.payersToday.entries()) {
      if (payers.length === 0) continue;
      this.payerCounts.set(`${date}\t${NAMES[place]!}`, payers.length);
      const sorted = payers.map((wallet) => this.addresses[wallet]!).sort();
      for (const address of sorted) this.emit('daily_payers', [date, NAMES[place]!, address]);
    }
  }

  payment(payment: MadePayment): void {
    const { status, served, endpoint, amountMicros, costMicros, verifiedMs } = payment;
    const sums = this.settlements.get(status) ?? { payments: 0, amountMicros: 0 };
    this.settlements.set(status, {
      payments: sums.payments + 1,
      amountMicros: sums.amountMicros + amountMicros,
    });
    if (status === 'settlement_failed' && served) this.dayOf(this.today!.date, endpoint).cost += costMicros;
    if (status !== 'settled') return;
    const day = this.dayOf(this.today!.date, endpoint);
    day.gross += amountMicros;
    day.cost += costMicros;
    day.paid++;
    day.lastMs = verifiedMs;
    this.wallets.paid(payment);
    this.present(endpoint, payment.wallet);
    this.present(ALL, payment.wallet);
  }

  issued({ wallet, issuedMs }: MadeCredit): void {
    this.wallets.issued(wallet);
    this.creditDayOf(issuedMs).issued++;
  }

  redeemed({ wallet, redemption }: MadeCredit): void {
    const { endpoint, priceMicros, changeMicros, costMicros, atMs } = redemption!;
    const day = this.dayOf(this.today!.date, endpoint);
    day.cost += costMicros;
    day.credits++;
    day.redeemed += priceMicros;
    day.lastMs = Math.max(day.lastMs ?? 0, atMs);
    this.wallets.redeemed(wallet, changeMicros);
    const creditDay = this.creditDayOf(atMs);
    creditDay.redeemed++;
    creditDay.priceMicros += priceMicros;
    creditDay.changeMicros += changeMicros;
  }

  /** The rows of all tables that `emit` has not been given. */
  *rest(): Iterable<[table: string, columns: string, rows: Iterable<Cells>]> {
    this.endMonth();
    yield [
      'daily_totals',
      'day, endpoint, gross_micros, cost_micros, paid_calls, credit_calls, rebate_redeemed_micros, last_call_at',
      map(this.days, ([key, { gross, cost, paid, credits, redeemed, lastMs }]) => [
        ...[...key.split('\t'), gross, cost, paid, credits, redeemed],
        lastMs === null ? null : new Date(lastMs).toISOString(),
      ]),
    ];
    yield ['daily_payer_counts', 'day, endpoint, payers', map(this.payerCounts, ([key, n]) => [...key.split('\t'), n])];
    yield ['wallet_last_days', 'endpoint, wallet, last_day', this.lastDays()];
    yield ['payers_by_last_day', 'endpoint, last_day, wallets', this.payersByLastDay()];
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

  private present(place: number, wallet: number): void {
    const last = this.lastDay[place]!;
    const { index } = this.today!;
    if (last[wallet] === index) return;
    last[wallet] = index;
    this.payersToday[place]!.push(wallet);
  }

  private endMonth(): void {
    const month = `${this.today!.date.slice(0, 7)}-01`;
    for (const [wallet, paidCalls, grossMicros] of this.wallets.takeMonth()) {
      this.emit('wallet_months', [month, this.addresses[wallet]!, paidCalls, grossMicros]);
    }
  }

  private *lastDays(): Iterable<Cells> {
    for (const [place, last] of this.lastDay.entries()) {
      for (const [wallet, index] of last.entries()) {
        if (index >= 0) yield [NAMES[place]!, this.addresses[wallet]!, this.dateOf(index)];
      }
    }
  }

  private *payersByLastDay(): Iterable<Cells> {
    for (const [place, last] of this.lastDay.entries()) {
      const counts = new Map<number, number>();
      for (const index of last) if (index >= 0) counts.set(index, (counts.get(index) ?? 0) + 1);
      for (const [index, wallets] of counts) yield [NAMES[place]!, this.dateOf(index), wallets];
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

  private dateOf(index: number): string {
    const { startMs, index: last } = this.today!;
    return new Date(startMs - (last - index) * DAY_MS).toISOString().slice(0, 10);
  }

  private dayOf(date: string, endpoint: number): DayTotals {
    const key = `${date}\t${NAMES[endpoint]!}`;
    let day = this.days.get(key);
    if (!day) this.days.set(key, (day = { gross: 0, cost: 0, paid: 0, credits: 0, redeemed: 0, lastMs: null }));
    return day;
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
