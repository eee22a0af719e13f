import {
  CREDIT_FACE_MICROS,
  PAID_ENDPOINTS,
  type RebateTierName,
  rebateMicros,
  rebateTierAt,
} from '@evenkeel/contracts';
import type { Random } from '@evenkeel/kernel/random';
import type { BusyDay, MadeCredit, MadePayment, MadeStatus } from './copy-table';

const COST_MICROS = 400;
const YOUNG_MS = 600_000;
const RECENT_MS = 172_800_000;
/** How often each endpoint is called, in per cent, in the order of the price list. */
const CALLS = [45, 10, 20, 15, 10];

/** The consumer of the rows of a business. */
interface Books {
  payment(payment: MadePayment): void;
  /** A credit with its redemption. */
  spent(credit: MadeCredit): void;
}

/** Wallets that buy: few of them most, each with its tier, its rebate and its credits, by the rules of the gateway. */
export class Business {
  private readonly spentMicros: Float64Array;
  private readonly accruedMicros: Float64Array;
  /** Oldest first. */
  private readonly unspent = new Map<number, MadeCredit[]>();
  private readonly scale: number;

  constructor(
    private readonly wallets: number,
    /** Nothing happens from then on. */
    private readonly endMs: number,
    private readonly random: Random,
    private readonly books: Books,
  ) {
    this.spentMicros = new Float64Array(wallets);
    this.accruedMicros = new Float64Array(wallets);
    this.scale = Math.log(wallets + 1);
  }

  /**
   * The calls of one day, in order of time.
   * @param partSize stops after so many payments, for others to catch up
   * @returns how many payments each part had
   */
  *live({ startMs, endMs, payments }: BusyDay, partSize: number): Iterable<number> {
    for (let begin = 0; begin < payments; begin += partSize) {
      const end = Math.min(payments, begin + partSize);
      for (let call = begin; call < end; call++) {
        this.call(startMs + Math.floor(((call + this.random.ratio()) / payments) * (endMs - startMs)));
      }
      yield end - begin;
    }
  }

  /** Unspent credits. */
  *unspentCredits(): Iterable<MadeCredit> {
    for (const credits of this.unspent.values()) yield* credits;
  }

  private call(atMs: number): void {
    const wallet = this.someWallet();
    this.perhapsRedeem(wallet, atMs);
    this.pay(wallet, atMs);
  }

  /** As Zipf's law has it, without a table: the wallet of rank r calls as often as 1/r. */
  private someWallet(): number {
    return Math.min(this.wallets - 1, Math.floor(Math.exp(this.random.ratio() * this.scale)) - 1);
  }

  private someEndpoint(): number {
    let draw = this.random.below(100);
    return CALLS.findIndex((share) => (draw -= share) < 0);
  }

  private pay(wallet: number, verifiedMs: number): void {
    const { random } = this;
    const endpoint = this.someEndpoint();
    const amountMicros = PAID_ENDPOINTS[endpoint]!.priceMicros;
    const endedMs = verifiedMs + 300 + random.below(1_200);
    const status = this.someStatus(verifiedMs, endedMs);
    const isSettled = status === 'settled';
    const isFinal = isSettled || status === 'settlement_failed';
    if (isSettled) this.spentMicros[wallet]! += amountMicros;
    const tier = rebateTierAt(this.spentMicros[wallet]!);
    const payment: MadePayment = {
      id: random.uuid(verifiedMs),
      wallet,
      endpoint,
      amountMicros,
      status,
      verifiedMs,
      endedMs: isFinal ? endedMs : null,
      served: isSettled || random.oneIn(3),
      transactionHash: isSettled && !random.oneIn(20_000) ? `0x${random.hex(64)}` : null,
      tier: isSettled ? tier.tier : null,
      rebateMicros: isSettled ? rebateMicros(amountMicros, tier) : 0,
      costMicros: COST_MICROS,
    };
    this.books.payment(payment);
    if (!isSettled) return;
    this.accruedMicros[wallet]! += payment.rebateMicros;
    this.perhapsIssue(payment, endedMs, tier.tier);
  }

  /** Payments that wait for settlement are young; old ones have been closed by a person. */
  private someStatus(verifiedMs: number, endedMs: number): MadeStatus {
    if (endedMs >= this.endMs) return 'settlement_pending';
    const ageMs = this.endMs - verifiedMs;
    if (this.random.oneIn(500)) return 'settlement_failed';
    if (this.random.oneIn(100) && ageMs < YOUNG_MS) return 'settlement_pending';
    return this.random.oneIn(2_000) && ageMs < RECENT_MS ? 'needs_reconciliation' : 'settled';
  }

  private perhapsIssue({ id, wallet }: MadePayment, issuedMs: number, tier: RebateTierName): void {
    if (this.accruedMicros[wallet]! < CREDIT_FACE_MICROS) return;
    this.accruedMicros[wallet]! -= CREDIT_FACE_MICROS;
    const credit = { id: this.random.uuid(issuedMs), wallet, paymentId: id, tier, issuedMs, redemption: null };
    const unspent = this.unspent.get(wallet);
    if (unspent) unspent.push(credit);
    else this.unspent.set(wallet, [credit]);
  }

  private perhapsRedeem(wallet: number, atMs: number): void {
    const unspent = this.unspent.get(wallet);
    const credit = unspent?.[0];
    if (!credit || credit.issuedMs >= atMs || !this.random.oneIn(2)) return;
    unspent.shift();
    const endpoint = this.someEndpoint();
    const { priceMicros } = PAID_ENDPOINTS[endpoint]!;
    const changeMicros = CREDIT_FACE_MICROS - priceMicros;
    credit.redemption = { endpoint, priceMicros, changeMicros, costMicros: COST_MICROS, atMs };
    this.accruedMicros[wallet]! += changeMicros;
    this.books.spent(credit);
  }
}
