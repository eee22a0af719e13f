import { runMigrate } from '@evenkeel/platform/service';
import { REPORTING } from './service';

runMigrate(REPORTING, process.env);
