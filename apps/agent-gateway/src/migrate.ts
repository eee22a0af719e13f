import { runMigrate } from '@evenkeel/platform/service';
import { AGENT_GATEWAY } from './service';

runMigrate(AGENT_GATEWAY, process.env);
