import { SystemClock } from '@evenkeel/kernel';
import { CommandLine, integer, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { type PeopleOptions, seedPeople } from '../seed-people';

/** @param today the last day with logs */
function peopleCommand(today: string) {
  return new CommandLine({
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
}

class PeopleConfig {
  @IsDatabaseUrl('the postgres:// address of a database of accounts')
  DATABASE_URL!: string;
}

startCommand(process.env, (args, env, streams) => {
  const today = new SystemClock().now().toISOString().slice(0, 10);
  return runCommand(peopleCommand(today), args, streams, async (options, { out }) => {
    const { DATABASE_URL } = loadConfig(PeopleConfig, env);
    const startedMs = performance.now();
    const people = await seedPeople(DATABASE_URL, options);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    out(`${people[0]!.email} to ${people.at(-1)!.email} in ${seconds} s; their password: ${options.password}\n`);
  });
});
