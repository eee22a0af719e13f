import { parseArgs } from 'node:util';

export const PARTS = ['engine', 'bodies', 'challenge', 'paid', 'relay', 'reporting'] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  help: boolean;
  parts: readonly Part[];
  rounds: number;
  /** Of each seller in each round. */
  seconds: number;
  /** In the large database of the part reporting. */
  payments: number;
  profileTo?: string;
}

export const HELP = `Measures the scoring engine, what the worst bodies cost to validate, our agent gateway against the x402 middleware for Express and a bare Fastify,
the relay of events against kafkajs alone, and the reads of reporting over few payments and over many.
Everything runs on this machine, on loopback, and is stopped again. About ten minutes; bench/README.md says how to read it.

Options
  --only <part>       engine, bodies, challenge, paid, relay or reporting; may be given more than once
  --rounds <n>        rounds of each comparison, 1 to 50 (5)
  --seconds <s>       of each seller in each round, 0.2 to 60 (2)
  --payments <n>      in the large database of reporting, 20000 to 100000000 (1000000)
  --profile <folder>  write a CPU profile of the gateway there
  --help              this text
`;

/** @throws Error with a sentence for the person who typed it */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      payments: { type: 'string', default: '1000000' },
      profile: { type: 'string' },
    },
  });
  const { help, only = PARTS, profile: profileTo } = values;
  const unknown = only.find((name) => !PARTS.includes(name as Part));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there are ${PARTS.join(', ')}.`);
  const rounds = Math.floor(numberIn('rounds', values.rounds, 1, 50));
  const payments = Math.floor(numberIn('payments', values.payments, 20_000, 100_000_000));
  const seconds = numberIn('seconds', values.seconds, 0.2, 60);
  return { help, parts: only as Part[], rounds, seconds, payments, profileTo };
}

function numberIn(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(`--${name} must be a number from ${least} to ${most}.`);
}
