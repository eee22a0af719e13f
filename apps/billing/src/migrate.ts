import { runMigrate } from '@evenkeel/platform/service';
import { BILLING } from './service';

runMigrate(BILLING, process.env);
