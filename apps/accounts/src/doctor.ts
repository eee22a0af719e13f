import { startDoctor } from '@evenkeel/platform/operations';
import { probes } from './operations/probes';
import { ACCOUNTS } from './service';

startDoctor({ service: ACCOUNTS, probes }, process.env);
