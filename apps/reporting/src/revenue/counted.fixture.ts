import { outcomeOf, type History } from '../projection/history.fixture';

/** The expected figures of a period, counted by loops from the whole history. */
export interface Counted {
  gross: bigint;
  cost: bigint;
  redeemed: bigint;
  paidCalls: number;
  creditCalls: number;
  payers: Set<string>;
  lastCallAt: string | null;
}

/**
 * @param from, to days, both included
 * @param endpoint all of them when it is missing
 */
export function counted({ payments, credits }: History, from: string, to: string, endpoint?: string): Counted {
  const sums: Counted = {
    gross: 0n,
    cost: 0n,
    redeemed: 0n,
    paidCalls: 0,
    creditCalls: 0,
    payers: new Set(),
    lastCallAt: null,
  };
  const isIn = (at: Date | null, of: string): at is Date => {
    const day = at?.toISOString().slice(0, 10);
    return day !== undefined && day >= from && day <= to && (endpoint === undefined || endpoint === of);
  };
  const called = (at: Date): void => {
    if (sums.lastCallAt === null || at.toISOString() > sums.lastCallAt) sums.lastCallAt = at.toISOString();
  };
  for (const payment of payments) {
    if (!isIn(payment.verifiedAt, payment.endpoint)) continue;
    const outcome = outcomeOf(payment);
    if (outcome === 'settled' || (outcome === 'settlement_failed' && payment.served)) {
      sums.cost += BigInt(payment.costMicros);
    }
    if (outcome !== 'settled') continue;
    sums.gross += BigInt(payment.amountMicros);
    sums.paidCalls++;
    sums.payers.add(payment.wallet);
    called(payment.verifiedAt);
  }
  for (const { redeemedAt, endpoint: path, costMicros, priceMicros } of credits) {
    if (!isIn(redeemedAt, path)) continue;
    sums.cost += BigInt(costMicros);
    sums.redeemed += BigInt(priceMicros);
    sums.creditCalls++;
    called(redeemedAt);
  }
  return sums;
}

/** Six decimals, by hand. */
export function exact(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
