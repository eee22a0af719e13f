import { startDoctor } from '@evenkeel/platform/operations';
import { probes } from './operations/probes';
import { BILLING } from './service';

startDoctor({ service: BILLING, probes }, process.env);
