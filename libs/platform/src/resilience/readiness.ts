import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of a check of `/health/ready`: `true`, it is there; `false`, it is missing and the process cannot do
 * its work; `degraded`, it is missing and the process works on without it, less well.
 */
export type CheckResult = boolean | 'degraded';

/** Looks at everything the process uses, each under its name. */
export type Readiness = () => Promise<Record<string, CheckResult>>;

/** Longer than each check may take. */
const LIMIT_MS = 500;

interface ReadinessAnswer {
  /** 503 takes the process out of service; one that is degraded still serves. */
  status: 200 | 503;
  body: { status: 'ready' | 'degraded' | 'not_ready'; checks?: Record<string, CheckResult> };
}

/** The answer of `/health/ready`; checks that fail, or take longer than half a second, are not ready. Never rejects. */
export async function askReadiness(readiness: Readiness): Promise<ReadinessAnswer> {
  const late = sleep(LIMIT_MS, undefined, { ref: false });
  const checks = await Promise.race([readiness().catch(() => undefined), late]);
  const results = checks && Object.values(checks);
  if (!results || results.includes(false)) return { status: 503, body: { status: 'not_ready', checks } };
  return { status: 200, body: { status: results.includes('degraded') ? 'degraded' : 'ready', checks } };
}

/** The result for something that the process can do without. */
export function useful(isThere: boolean): CheckResult {
  return isThere || 'degraded';
}

/**
 * The same for something that is asked over the network.
 * @param limitMs after which it is missing
 */
export async function answering(asked: Promise<boolean>, limitMs: number): Promise<CheckResult> {
  return useful(await Promise.race([asked.catch(() => false), sleep(limitMs, false, { ref: false })]));
}
