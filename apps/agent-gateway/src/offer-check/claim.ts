/** One thing that one document says about one offer. */
export interface Claim {
  /** The document, or the request that was answered with it. */
  where: string;
  /** Path of the endpoint; empty for what is said of all offers together. */
  about: string;
  fact: Fact;
  value: unknown;
}

export type Fact =
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

export type Facts = Partial<Record<Fact, unknown>>;

/** All that a document says about one endpoint. */
export function claimsOf(where: string, about: string, facts: Facts): Claim[] {
  return Object.entries(facts).map(([fact, value]) => ({ where, about, fact: fact as Fact, value }));
}
