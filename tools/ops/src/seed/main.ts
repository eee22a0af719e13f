import { SystemClock } from '@evenkeel/kernel';
import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { seed, type SeedProgress } from './seed';
import { seedCommand } from './seed-options';

class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of a reporting database')
  DATABASE_URL!: string;
}

startCommand(process.env, (args, env, streams) => {
  return runCommand(seedCommand(new SystemClock().now()), args, streams, async (options, { out }) => {
    const { DATABASE_URL } = loadConfig(SeedConfig, env);
    const startedMs = performance.now();
    const seconds = (): string => ((performance.now() - startedMs) / 1_000).toFixed(1);
    await seed(DATABASE_URL, options, ({ payments, of, doing }: SeedProgress) => {
      const line = `${doing}  ${payments} of ${of} payments  ${seconds()} s`;
      if (process.stderr.isTTY) process.stderr.write(`\r${line}\x1b[K`);
    });
    if (process.stderr.isTTY) process.stderr.write('\n');
    out(`${options.payments} payments in ${seconds()} s\n`);
  });
});
