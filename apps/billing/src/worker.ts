import { runWorker } from '@evenkeel/platform/service';
import { BILLING } from './service';

runWorker(BILLING, process.env);
