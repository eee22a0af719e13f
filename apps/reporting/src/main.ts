import { runMain } from '@evenkeel/platform/service';
import { REPORTING } from './service';

runMain(REPORTING, process.env);
