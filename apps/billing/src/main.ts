import { runMain } from '@evenkeel/platform/service';
import { BILLING } from './service';

runMain(BILLING, process.env);
