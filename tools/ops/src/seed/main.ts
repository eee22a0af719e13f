import { SystemClock } from '@evenkeel/kernel';
import { CommandLine, flag, integer, runCommand, startCommand, text } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { DAY, seed, type SeedOptions } from './seed';

/** @param present nothing is made that happens after it */
const seedCommand = (present: string) =>
  new CommandLine({
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
      // Nothing is made of the rest of today.
      const until = day >= present.slice(0, 10) ? present : day;
      const wallets = Math.max(10, Math.floor(payments / 50));
      return { ...rest, payments, wallets, subscriptions: wallets, seed: 1, until };
    },
  });

class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of a reporting database')
  DATABASE_URL!: string;
}

startCommand(process.env, (args, env, streams) => {
  const command = seedCommand(new SystemClock().now().toISOString());
  return runCommand(command, args, streams, async (options, { out }) => {
    const { DATABASE_URL } = loadConfig(SeedConfig, env);
    const startedMs = performance.now();
    await seed(DATABASE_URL, options, (step) => process.stderr.isTTY && process.stderr.write(`${step}\n`));
    out(`${options.payments} payments in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  });
});
