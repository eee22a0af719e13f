import { runMigrate } from '@evenkeel/platform/service';
import { ACCOUNTS } from './service';

runMigrate(ACCOUNTS, process.env);
