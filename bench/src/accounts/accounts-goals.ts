import { type GoalResult, verdicts } from '../goals';
import type { AccountsTiming } from './accounts.bench';

export function checkAccounts(timing: AccountsTiming): GoalResult[] {
  const { startSeconds, startedMb, importingMb, afterwardsMb } = timing;
  return verdicts('accounts', [
    ['log writes of many / bare inserts', timing.logRatio, 0.25, 0.5, 'higher'],
    ['log writes of one / bare inserts', timing.onePersonLogRatio, 0.25, 0.5, 'higher'],
    ['GET /v1/auth/me / fastify echo', timing.meRatio, 0.3, 0.3, 'higher'],
    ['analyze, 25 habits, 5 years: p99 ms', timing.analyzeP99Ms, 50, 50, 'lower'],
    ['analyze: p99 of 5 years / 1 year', timing.analyzeRatio, 1.5, 1.5, 'lower'],
    ['GET /v1/habits, 25 habits, 5 years: p99 ms', timing.listP99Ms, 30, 30, 'lower'],
    ['GET /v1/auth/me beside 60 logins a second: p99 ms', timing.besideLoginsMeP99Ms, 100, 100, 'lower'],
    ['GET /v1/habits beside them: p99 ms', timing.besideLoginsListP99Ms, 100, 100, 'lower'],
    ['a log beside them: p99 ms', timing.besideLoginsLogP99Ms, 100, 100, 'lower'],
    ['analyze, 25 habits, 1 year, beside them: p99 ms', timing.besideLoginsAnalyzeP99Ms, 100, 100, 'lower'],
    ['logins a second', timing.loginsPerSecond, 55, 60, 'higher'],
    [
      'wrong password: known / unknown address, the longer one first',
      apart(timing.knownOverUnknown),
      1.1,
      1.05,
      'lower',
    ],
    ['import of 45,000 logs: s', timing.importSeconds, 5, 5, 'lower'],
    ['start from dist: s', startSeconds, 2, 2, 'lower'],
    ['resident after the start: MB', startedMb, 150, 150, 'lower'],
    ['resident during two imports: MB', importingMb, 270, 270, 'lower'],
    [
      'resident after imports / after the start',
      afterwardsMb && startedMb && afterwardsMb / startedMb,
      1.2,
      1.2,
      'lower',
    ],
  ]);
}

/** How far two times are apart, whichever is longer; 1 when they are equal. */
function apart(ratio: number): number {
  return Math.max(ratio, 1 / ratio);
}
