import type { RequestKind } from '../cluster';
import type { ProbeKind } from './probes';
import type { Thing } from './lines';

export type Kind = RequestKind | ProbeKind;

/** What a request cannot be answered without. Whatever else fails, it is answered as ever. */
export const NEEDS: Readonly<Record<Kind, readonly Thing[]>> = {
  discovery: [],
  challenge: [],
  paid: ['agent-gateway-database', 'facilitator'],
  repeat: ['agent-gateway-database'],
  credit: ['agent-gateway-database'],
  login: ['accounts-database'],
  read: ['accounts-database'],
  log: ['accounts-database'],
  analyze: ['accounts-database'],
  webhook: ['billing-database'],
  summary: ['reporting-database'],
  register: ['accounts-database'],
  plan: ['billing-database'],
  checkout: ['billing-database', 'stripe'],
};

/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
export const PAID_KINDS: readonly Kind[] = ['paid', 'repeat', 'credit'];

/** Buys, where there is nothing to repeat or no credit to spend. */
export function needs(kind: Kind, thing: Thing): boolean {
  if (kind === 'repeat' || kind === 'credit') return NEEDS.paid.includes(thing);
  return NEEDS[kind].includes(thing);
}
