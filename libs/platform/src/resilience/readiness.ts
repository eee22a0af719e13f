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
  httpStatus: 200 | 503;
  body: { status: 'ready' | 'degraded' | 'not_ready'; checks?: Record<string, CheckResult> };
}

/** The answer of `/health/ready`; checks that fail, or take longer than half a second, are not ready. Never rejects. */
export async function askReadiness(readiness: Readiness): Promise<ReadinessAnswer> {
  const late = new AbortController();
  const checks = await Promise.race([readiness().catch(() => undefined), after(LIMIT_MS, late.signal)]);
  late.abort();
  const results = checks && Object.values(checks);
  if (!results || results.includes(false)) return { httpStatus: 503, body: { status: 'not_ready', checks } };
  return { httpStatus: 200, body: { status: results.includes('degraded') ? 'degraded' : 'ready', checks } };
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
  const late = new AbortController();
  const isThere = await Promise.race([asked.catch(() => false), after(limitMs, late.signal)]);
  late.abort();
  return useful(isThere === true);
}

function after(limitMs: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limitMs).unref();
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
}
