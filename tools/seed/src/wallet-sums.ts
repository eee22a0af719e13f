import { CREDIT_FACE_MICROS, REBATE_TIER_NAMES } from '@evenkeel/contracts';
import type { Cells } from './copy-table';
import type { MadePayment } from './made-rows';

/** What is known of each wallet, in columns: a hundred bytes a wallet, however much it pays. */
export class WalletSums {
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

  /** Those that paid in the month, which begins anew. */
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
