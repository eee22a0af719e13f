import { loadConfig, migrate } from '@evenkeel/platform';
import { ReportingConfig, databaseOptions } from './index';

async function main(): Promise<void> {
  const done = await migrate(databaseOptions(loadConfig(ReportingConfig, process.env)));
  console.log(done.length > 0 ? `migrated: ${done.join(', ')}` : 'nothing to migrate');
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
