import { runWorker } from '@evenkeel/platform/service';
import { REPORTING } from './service';

runWorker(REPORTING, process.env);
