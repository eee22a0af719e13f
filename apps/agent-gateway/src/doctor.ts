import { startDoctor } from '@evenkeel/platform/operations';
import { probes } from './operations/probes';
import { AGENT_GATEWAY } from './service';

startDoctor({ service: AGENT_GATEWAY, probes }, process.env);
