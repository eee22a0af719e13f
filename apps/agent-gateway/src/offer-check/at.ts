import { MICROS_PER_USD } from '@evenkeel/kernel';

/** A member deep inside a document of others; undefined where the way ends. */
export function at(node: unknown, ...way: (string | number)[]): unknown {
  return way.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    node,
  );
}

/** A list deep inside; empty where there is none. */
export function listAt(node: unknown, ...way: (string | number)[]): unknown[] {
  const list = at(node, ...way);
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** Dollars as documents write them, in atomic units. */
export function atomic(usd: unknown): string {
  return String(Math.round(Number(usd) * MICROS_PER_USD));
}

/** The entry of `accepts`, whatever the version: version 1 has the name that we compare beside its short one. */
export function termsAt(entry: unknown): { price_atomic: unknown; asset: unknown; network: unknown; pay_to: unknown } {
  return {
    price_atomic: at(entry, 'amount'),
    asset: at(entry, 'asset'),
    network: at(entry, 'networkCaip2') ?? at(entry, 'network'),
    pay_to: at(entry, 'payTo'),
  };
}
