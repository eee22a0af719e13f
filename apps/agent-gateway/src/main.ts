import { runMain } from '@evenkeel/platform/service';
import { AGENT_GATEWAY } from './service';

runMain(AGENT_GATEWAY, process.env);
