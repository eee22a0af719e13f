import { SystemClock } from '@evenkeel/kernel';
import { IsDatabaseUrl, loadConfig } from '@evenkeel/platform/config';
import { seed, type SeedProgress } from './seed';
import { HELP, readSeedOptions } from './seed-options';

class SeedConfig {
  @IsDatabaseUrl('the postgres:// address of a reporting database')
  DATABASE_URL!: string;
}

async function main(): Promise<void> {
  const options = readSeedOptions(process.argv.slice(2), new SystemClock().now().toISOString().slice(0, 10));
  if (!options) return void process.stdout.write(HELP);
  const { DATABASE_URL } = loadConfig(SeedConfig, process.env);
  const startedMs = performance.now();
  const seconds = (): string => ((performance.now() - startedMs) / 1_000).toFixed(1);
  await seed(DATABASE_URL, options, ({ payments, of, doing }: SeedProgress) => {
    const line = `${doing}  ${payments} of ${of} payments  ${seconds()} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}\x1b[K`);
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  process.stdout.write(`${options.payments} payments in ${seconds()} s\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
