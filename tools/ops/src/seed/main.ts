import { SystemClock } from '@evenkeel/kernel';
import {
  Command,
  InvalidArgumentError,
  integerOption,
  Option,
  readInstant,
  runCommand,
  startCommand,
} from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { DAY, seed } from './seed';
import { seedPeople } from './seed-people';

/** Nothing is made that happens after it. */
const present = new SystemClock().now().toISOString();
const today = present.slice(0, 10);

const PAYMENTS = new Command('npm run seed --')
  .description(
    `Fills a reporting database with a business that might be: payments and credits with the rollups that the consumer
would have made of their events, and subscriptions. Equal options make equal rows.`,
  )
  .addOption(integerOption('--payments <n>', 'how many', 1, 100_000_000).default(100_000))
  .addOption(integerOption('--days <n>', 'over so many UTC days', 1, 3_650).default(365))
  .addOption(
    new Option('--until <date>', 'last day, YYYY-MM-DD').argParser(untilDay).default(present, 'today, up to now'),
  )
  .option('--replace', 'empties the database first; otherwise one with payments is refused', false)
  .addHelpText('after', '\nEnvironment:\n  DATABASE_URL  of reporting, with its migrations');

/** Nothing is made of the rest of today. */
function untilDay(typed: string): string {
  if (!DAY.test(typed) || !readInstant(typed)) throw new InvalidArgumentError('It must be a day, such as 2026-01-31.');
  return typed >= today ? present : typed;
}

const PEOPLE = new Command('npm run seed:accounts --')
  .description(
    `Adds people to a database of accounts, each with Premium, habits and a log of every habit on every day. They sign
in as seed-1@example.com, seed-2@example.com and so on. Equal options make equal rows in an empty database.`,
  )
  .addOption(integerOption('--people <n>', 'how many', 1, 100_000).default(10))
  .addOption(integerOption('--habits <n>', 'of each', 1, 500).default(25))
  .addOption(integerOption('--days <n>', 'with a log of every habit', 0, 9_000).default(365))
  .addHelpText('after', '\nEnvironment:\n  DATABASE_URL  of accounts, with its migrations');

class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of the database to fill')
  DATABASE_URL!: string;
}

startCommand(process.env, ([what, ...args], env, { out, err }) => {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (what === 'people') {
    return runCommand(PEOPLE, args, { out, err }, async ({ people: count, habits, days }, streams) => {
      const options = { people: count, habits, days, password: 'seven quiet otters', seed: 1, until: today };
      const people = await seedPeople(loadConfig(SeedConfig, env).DATABASE_URL, options);
      const names = `${people[0]!.email} to ${people.at(-1)!.email}`;
      streams.out(`${names} in ${seconds()} s; their password: ${options.password}\n`);
    });
  }
  return runCommand(PAYMENTS, args, { out, err }, async ({ args: _, ...options }, streams) => {
    const { DATABASE_URL } = loadConfig(SeedConfig, env);
    const wallets = Math.max(10, Math.floor(options.payments / 50));
    const business = { ...options, wallets, subscriptions: wallets, seed: 1 };
    await seed(DATABASE_URL, business, (step) => process.stderr.isTTY && process.stderr.write(`${step}\n`));
    streams.out(`${options.payments} payments in ${seconds()} s\n`);
  });
});
