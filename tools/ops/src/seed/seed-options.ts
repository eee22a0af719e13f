import { CommandLine, flag, integer, text } from '@evenkeel/platform/command-line';

export interface SeedOptions {
  payments: number;
  /** UTC days over which they are spread, the last one included. */
  days: number;
  wallets: number;
  /** People who have or had one. */
  subscriptions: number;
  /** Equal options make equal rows. */
  seed: number;
  /** Last UTC day, `YYYY-MM-DD`, or the instant with which the last day breaks off. */
  until: string;
  /** Empty the database first; otherwise one with payments is refused. */
  replace: boolean;
}

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const DAY_MS = 86_400_000;

/** The first instant after everything that is made. */
export function endOf({ until }: Pick<SeedOptions, 'until'>): number {
  return DAY.test(until) ? Date.parse(until) + DAY_MS : Date.parse(until);
}

/** @param now nothing is made that happens after it */
export function seedCommand(now: Date) {
  const present = now.toISOString();
  return new CommandLine({
    call: 'npm run seed',
    about: `Fills a reporting database with a business that might be: payments and credits with the rollups that the consumer
would have made of their events, loaded by COPY. Equal options make equal rows.`,
    usage: ['npm run seed -- --payments 10000000'],
    options: {
      payments: integer({ help: '', from: 1, to: 100_000_000, fallback: 100_000 }),
      days: integer({ help: 'over so many UTC days', from: 1, to: 3_650, fallback: 365 }),
      wallets: integer({
        help: 'few of them pay for most calls',
        from: 1,
        to: 5_000_000,
        otherwise: 'a fiftieth of the payments, at least 10',
      }),
      subscriptions: integer({
        help: 'people who have or had one',
        from: 0,
        to: 5_000_000,
        otherwise: 'as many as wallets',
      }),
      until: text({
        help: 'last day, YYYY-MM-DD',
        placeholder: 'date',
        otherwise: 'today, up to now',
        matches: DAY,
        must: 'be a day, such as 2026-01-31.',
      }),
      seed: integer({ help: 'another business', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
      replace: flag('empties the database first; otherwise one with payments is refused'),
    },
    environment: { DATABASE_URL: 'of reporting, with its migrations' },
    read: ({ payments, until: day = present, ...rest }): SeedOptions => {
      // Nothing is made of the rest of today.
      const until = day >= present.slice(0, 10) ? present : day;
      const { wallets = Math.max(10, Math.floor(payments / 50)) } = rest;
      return { ...rest, payments, wallets, subscriptions: rest.subscriptions ?? wallets, until };
    },
  });
}
