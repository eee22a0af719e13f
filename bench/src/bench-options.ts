import { choices, CommandLine, decimal, integer, text } from '@evenkeel/platform/command-line';

export const PARTS = [
  'engine',
  'bodies',
  'challenge',
  'paid',
  'whole',
  'observability',
  'relay',
  'reporting',
  'accounts',
  'billing',
  'processes',
] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  parts: readonly Part[];
  rounds: number;
  /** Of each seller in each round. */
  seconds: number;
  /** In the large database of the part reporting. */
  payments: number;
  /** People with subscriptions, there too. */
  subscriptions: number;
  profileTo?: string;
}

export const BENCH = new CommandLine({
  call: 'npm run bench',
  about: `Measures the scoring engine, what the worst bodies cost to validate, our agent gateway against the x402 middleware for Express and a
bare Fastify, the whole product beside them, the relay of events against kafkajs alone, the reads of reporting over few payments and over many, what people ask of accounts, what
the payment provider sends to billing, and how each program starts.
Everything runs on this machine, on loopback, and is stopped again. About ten minutes; bench/README.md says how to read it.`,
  options: {
    only: choices({ help: `${PARTS.join(', ')}; may be given more than once`, placeholder: 'part', of: PARTS }),
    rounds: decimal({ help: 'rounds of each comparison', from: 1, to: 50, fallback: 5 }),
    seconds: decimal({ help: 'of each seller in each round', placeholder: 's', from: 0.2, to: 60, fallback: 2 }),
    payments: decimal({
      help: 'in the large database of reporting',
      from: 20_000,
      to: 100_000_000,
      fallback: 1_000_000,
    }),
    subscriptions: integer({
      help: 'people with subscriptions in that database',
      ...{ placeholder: 'people', from: 20_000, to: 100_000_000, otherwise: 'as many as payments' },
    }),
    profile: text({
      help: 'write CPU profiles of the gateway, of accounts and of billing there',
      placeholder: 'folder',
    }),
  },
  read: ({ only = PARTS, rounds, seconds, profile, ...rest }): BenchOptions => {
    const payments = Math.floor(rest.payments);
    const { subscriptions = payments } = rest;
    return { parts: only, rounds: Math.floor(rounds), seconds, payments, subscriptions, profileTo: profile };
  },
});
