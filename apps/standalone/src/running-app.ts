import type { AppName } from '@evenkeel/contracts';
import type { Readiness, RequestHandler } from '@evenkeel/platform/http';
import type { AppRegistry } from '@evenkeel/platform/observability';

/** One service of this process, with its background half. */
export interface RunningApp {
  handle: RequestHandler;
  readiness: Readiness;
  registry: AppRegistry;
}

export type RunningApps = Partial<Record<AppName, RunningApp>> & Record<'agent-gateway', RunningApp>;
