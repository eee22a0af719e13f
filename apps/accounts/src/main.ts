import { runMain } from '@evenkeel/platform/service';
import { ACCOUNTS } from './service';

runMain(ACCOUNTS, process.env);
