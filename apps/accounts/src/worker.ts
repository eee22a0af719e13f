import { runWorker } from '@evenkeel/platform/service';
import { ACCOUNTS } from './service';

runWorker(ACCOUNTS, process.env);
