import { MICROS_PER_USD } from '@evenkeel/kernel';
import type { Website } from './website';

/** One thing that one document says about one offer. */
export interface Statement {
  /** The document, or the request that was answered with it. */
  where: string;
  /** Path of the endpoint; empty for what is said of all offers together. */
  about: string;
  fact: Fact;
  value: unknown;
}

type Fact =
  | 'digest'
  | 'method'
  | 'url'
  | 'price_atomic'
  | 'asset'
  | 'network'
  | 'pay_to'
  | 'max_items'
  | 'timeout_ms'
  | 'input_schema'
  | 'capability_schema'
  | 'output_schema';

/** Reads one document. @throws Unreadable */
export type Reader = (site: Website) => Promise<Statement[]>;

export type Facts = Partial<Record<Fact, unknown>>;

/** All that a document says about one endpoint. */
export function statementsOf(where: string, about: string, facts: Facts): Statement[] {
  return Object.entries(facts).map(([fact, value]) => ({ where, about, fact: fact as Fact, value }));
}

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
