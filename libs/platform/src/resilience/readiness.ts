import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of a check of `/health/ready`: `true`, it is there; `false`, it is missing and the process cannot do
 * its work; `degraded`, it is missing and the process works on without it, less well.
 */
export type CheckResult = boolean | 'degraded';

/** Looks at everything the process uses, each under its name. */
export type Readiness = () => Promise<Record<string, CheckResult>>;

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
