import { parseArgs } from 'node:util';

export interface SeedOptions {
  payments: number;
  /** UTC days over which they are spread, the last one included. */
  days: number;
  wallets: number;
  /** Equal options make equal rows. */
  seed: number;
  /** Last UTC day, `YYYY-MM-DD`. */
  until: string;
  /** Empty the database first; otherwise one with payments is refused. */
  replace: boolean;
}

export const HELP = `Fills a reporting database with a business that might be: payments and credits with the rollups that the consumer
would have made of their events, loaded by COPY. Equal options make equal rows.

  npm run seed -- --payments 10000000

Options
  --payments <n>    1 to 100000000 (100000)
  --days <n>        over so many UTC days, 1 to 3650 (365)
  --wallets <n>     1 to 5000000; few of them pay for most calls (a fiftieth of the payments, at least 10)
  --until <date>    last day, YYYY-MM-DD (today)
  --seed <n>        another business (1)
  --replace         empties the database first; otherwise one with payments is refused
  --help            this text

Environment
  DATABASE_URL      of reporting, with its migrations
`;

/**
 * @param today for `--until`
 * @returns null when only help is asked for
 * @throws Error with a sentence for the person who typed it
 */
export function readSeedOptions(args: string[], today: string): SeedOptions | null {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ payments: text, days: text, wallets: text, until: text, seed: text },
      ...{ replace: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    },
  });
  if (values.help) return null;
  const payments = integer('payments', values.payments ?? '100000', 1, 100_000_000);
  const until = values.until ?? today;
  if (!isDay(until)) throw new Error('--until must be a day, such as 2026-01-31.');
  return {
    payments,
    days: integer('days', values.days ?? '365', 1, 3_650),
    wallets: integer('wallets', values.wallets ?? String(Math.max(10, Math.floor(payments / 50))), 1, 5_000_000),
    seed: integer('seed', values.seed ?? '1', 0, 2 ** 31 - 1),
    until,
    replace: values.replace,
  };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

function integer(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be an integer from ${least} to ${most}.`);
}
