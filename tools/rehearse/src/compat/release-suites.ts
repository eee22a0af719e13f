import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '@evenkeel/platform/config';

/** Of one call of Jest; the suites of an app take a few minutes. */
const LIMIT_MS = 20 * 60 * 1_000;
/** Settings of a run of tests around this one. */
const OF_ANOTHER_RUN = /^(TEST_|JEST_|NODE_ENV$|NODE_OPTIONS$)/;

/** The suites of a checkout, run by its own Jest on the PostgreSQL that is given; what it says goes to standard error. */
export class ReleaseSuites {
  constructor(
    private readonly checkout: string,
    private readonly options: { env: Environment; databaseUrl: string; workers: number },
  ) {}

  /**
   * @param project name of a project of Jest
   * @param args pattern of the paths of its suites, or another choice of them
   * @returns whether there are such suites and all of them pass
   * @throws Error when Jest does not end in time
   */
  async pass(project: string, ...args: string[]): Promise<boolean> {
    const { env, databaseUrl, workers } = this.options;
    const kept = Object.entries(env).filter(([name]) => !OF_ANOTHER_RUN.test(name));
    const jest = [
      'node_modules/jest/bin/jest.js',
      ...args,
      '--selectProjects',
      project,
      '--maxWorkers',
      String(workers),
    ];
    const child = spawn(process.execPath, jest, {
      cwd: this.checkout,
      env: { ...Object.fromEntries(kept), TEST_DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: LIMIT_MS,
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== null) throw new Error(`The suites of ${project} did not end within ${LIMIT_MS / 60_000} minutes.`);
    return code === 0;
  }
}
