import { SystemClock } from '@evenkeel/kernel';
import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { peopleCommand } from './made-people';
import { seedPeople } from './seed-people';

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
