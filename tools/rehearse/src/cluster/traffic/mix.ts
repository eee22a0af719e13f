/** What callers of the product do; each is one request, but `paid`, which asks for the price first. */
export const REQUEST_KINDS = [
  ...(['discovery', 'challenge', 'paid', 'repeat', 'credit'] as const),
  ...(['login', 'read', 'log', 'analyze', 'plan'] as const),
  ...(['webhook', 'summary'] as const),
];

export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Requests a second. */
export type Mix = Readonly<Partial<Record<RequestKind, number>>>;

/** What the product has to bear on two cores, stores included. */
export const LOAD_MIX: Mix = { discovery: 2_000, challenge: 1_500, credit: 300, login: 15, webhook: 300 };

/** 50 a second: paying agents, people, the provider's webhooks, an operator. */
export const STEADY_MIX: Mix = {
  ...{ discovery: 8, challenge: 6, paid: 8, repeat: 2, credit: 2 },
  ...{ login: 2, read: 6, log: 5, analyze: 3, plan: 2 },
  ...{ webhook: 5, summary: 1 },
};

/** The same shares, with another sum. */
export function scaledMix(mix: Mix, perSecond: number): Mix {
  const sum = Object.values(mix).reduce((total, rate) => total + rate, 0);
  return Object.fromEntries(Object.entries(mix).map(([kind, rate]) => [kind, (rate * perSecond) / sum]));
}
