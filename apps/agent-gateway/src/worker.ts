import { runWorker } from '@evenkeel/platform/service';
import { AGENT_GATEWAY } from './service';

runWorker(AGENT_GATEWAY, process.env);
