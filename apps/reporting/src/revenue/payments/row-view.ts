import { readMicros, usdAmount } from '@evenkeel/kernel';
import { getAddress } from 'viem';
import type { Money } from '../figures/figures';

/** A row of a view: amounts and numbers as texts, instants as dates. */
export type Stored<View> = {
  [Name in keyof View]: Name extends `${string}_at`
    ? Extract<View[Name], null> | Date
    : View[Name] extends Money | number
      ? string
      : View[Name];
};

const AMOUNT = /_usd$|^(amount|rebate_accrued|attributed_cost|face_value|spend|lifetime_spend|rebate_issued)$/;
const NUMBER = /^(paid|credit)_calls$/;
const ADDRESS = /^(payer|asset|wallet)$/;

/** A row as an answer shows it: money rounded and exact, addresses checksummed, instants as texts. */
export function viewOf<View extends object>(row: Stored<View>): View {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(name, value)])) as View;
}

function shown(name: string, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value !== null && AMOUNT.test(name)) return usdAmount(readMicros(value as string));
  if (NUMBER.test(name)) return readMicros(value as string);
  return ADDRESS.test(name) ? checksummed(value as string) : value;
}

/** A value as a file has it: amounts exactly. */
export function written(title: string, value: unknown): string | null {
  const { usd_exact: exact } = (shown(title, value) ?? {}) as Partial<Money>;
  return value === null ? null : (exact ?? String(shown(title, value)));
}

/** Enough for the wallets of a busy month; a hash of each of them again would be most of the work of a file. */
const MOST_KEPT = 50_000;

const kept = new Map<string, string>();

/** An address as people read it, computed once for a wallet. */
function checksummed(address: string): string {
  let text = kept.get(address);
  if (text !== undefined) return text;
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(address, (text = getAddress(address)));
  return text;
}
