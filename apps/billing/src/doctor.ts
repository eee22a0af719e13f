import { startDoctor } from '@evenkeel/platform/doctor';
import { probes } from './operations/probes';
import { BILLING } from './service';

startDoctor({ service: BILLING, probes }, process.env);
