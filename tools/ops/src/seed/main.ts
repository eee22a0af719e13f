import { SystemClock } from '@evenkeel/kernel';
import { CommandLine, flag, integer, runCommand, startCommand, text } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { DAY, seed, type SeedOptions } from './seed';
import { type PeopleOptions, seedPeople } from './seed-people';

/** Nothing is made that happens after it. */
const present = new SystemClock().now().toISOString();
const today = present.slice(0, 10);

const PAYMENTS = new CommandLine({
  call: 'npm run seed',
  about: `Fills a reporting database with a business that might be: payments and credits with the rollups that the consumer
would have made of their events, and subscriptions. Equal options make equal rows.`,
  usage: ['npm run seed -- --payments 10000000'],
  options: {
    payments: integer({ help: '', from: 1, to: 100_000_000, fallback: 100_000 }),
    days: integer({ help: 'over so many UTC days', from: 1, to: 3_650, fallback: 365 }),
    until: text({
      help: 'last day, YYYY-MM-DD',
      placeholder: 'date',
      otherwise: 'today, up to now',
      matches: DAY,
      must: 'be a day, such as 2026-01-31.',
    }),
    replace: flag('empties the database first; otherwise one with payments is refused'),
  },
  environment: { DATABASE_URL: 'of reporting, with its migrations' },
  read: ({ payments, until: day = present, ...rest }): SeedOptions => {
    const wallets = Math.max(10, Math.floor(payments / 50));
    // Nothing is made of the rest of today.
    const until = day >= today ? present : day;
    return { ...rest, payments, wallets, subscriptions: wallets, seed: 1, until };
  },
});

const PEOPLE = new CommandLine({
  call: 'npm run seed:accounts',
  about: `Adds people to a database of accounts, each with Premium, habits and a log of every habit on every day. They sign
in as seed-1@example.com, seed-2@example.com and so on. Equal options make equal rows in an empty database.`,
  usage: ['npm run seed:accounts -- --people 10 --days 1826'],
  options: {
    people: integer({ help: '', from: 1, to: 100_000, fallback: 10 }),
    habits: integer({ help: 'of each', from: 1, to: 500, fallback: 25 }),
    days: integer({ help: 'with a log of every habit', from: 0, to: 9_000, fallback: 365 }),
  },
  environment: { DATABASE_URL: 'of accounts, with its migrations' },
  read: (options): PeopleOptions => ({ ...options, password: 'seven quiet otters', seed: 1, until: today }),
});

class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of the database to fill')
  DATABASE_URL!: string;
}

startCommand(process.env, ([what, ...args], env, { out, err }) => {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (what === 'people') {
    return runCommand(PEOPLE, args, { out, err }, async (options, streams) => {
      const people = await seedPeople(loadConfig(SeedConfig, env).DATABASE_URL, options);
      const names = `${people[0]!.email} to ${people.at(-1)!.email}`;
      streams.out(`${names} in ${seconds()} s; their password: ${options.password}\n`);
    });
  }
  return runCommand(PAYMENTS, args, { out, err }, async (options, streams) => {
    const { DATABASE_URL } = loadConfig(SeedConfig, env);
    await seed(DATABASE_URL, options, (step) => process.stderr.isTTY && process.stderr.write(`${step}\n`));
    streams.out(`${options.payments} payments in ${seconds()} s\n`);
  });
});
