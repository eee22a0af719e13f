import type { Environment } from '@evenkeel/platform/config';
import { CONSUMER_CRASH_POINTS } from '@evenkeel/platform/messaging';

/** `CRASH_AT` for the app that has the step: what is read is read by reporting, all other steps are the gateway's. */
export function crashPointFor(app: string, { CRASH_AT }: Environment): Environment {
  const owner = CONSUMER_CRASH_POINTS.some((point) => point === CRASH_AT) ? 'reporting' : 'agent-gateway';
  return { CRASH_AT: app === owner ? CRASH_AT : undefined };
}
