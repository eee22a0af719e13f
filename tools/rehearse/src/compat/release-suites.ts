import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '@evenkeel/platform/config';

/** Of one call of Jest; the suites of an app take a few minutes. */
const LIMIT_MS = 20 * 60 * 1_000;
const LINES_SHOWN = 20;
/** What a run of tests around this one has set. */
const OF_ANOTHER_RUN = /^(TEST_|JEST_|NODE_ENV$|NODE_OPTIONS$)/;

/** A suite that failed. */
export interface FailedSuite {
  /** From the root. */
  file: string;
  /** Names of its tests that failed, each with the first line of what it said. */
  why: string[];
}

export interface SuiteResults {
  /** How many suites ran. */
  suites: number;
  failed: FailedSuite[];
}

interface JestReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** The suites of a checkout, run by its own Jest on the PostgreSQL that is given. */
export class ReleaseSuites {
  constructor(
    private readonly checkout: string,
    private readonly options: { env: Environment; databaseUrl: string; workers: number; say: (line: string) => void },
  ) {}

  /**
   * @param project name of a project of Jest
   * @param patterns of the paths of its suites
   * @throws Error when Jest ends without results, or not in time
   */
  async run(project: string, patterns: readonly string[]): Promise<SuiteResults> {
    const { env, databaseUrl, workers, say } = this.options;
    const report = join(this.checkout, 'suites.json');
    rmSync(report, { force: true });
    const args = [
      ...['node_modules/jest/bin/jest.js', ...patterns, '--selectProjects', project],
      ...['--maxWorkers', String(workers), '--json', '--outputFile', report],
    ];
    const kept = Object.entries(env).filter(([name]) => !OF_ANOTHER_RUN.test(name));
    const child = spawn(process.execPath, args, {
      cwd: this.checkout,
      env: { ...Object.fromEntries(kept), TEST_DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: LIMIT_MS,
    });
    const said: string[] = [];
    let ended = 0;
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      // At the end of a run Jest names those that failed again, without their project.
      if (/^(PASS|FAIL) /.test(line) && line.split(' ')[1] === project) say(`${++ended}  ${line}`);
    });
    const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== null) throw new Error(`The suites of ${project} did not end within ${LIMIT_MS / 60_000} minutes.`);
    return this.read(report, project, said);
  }

  private read(file: string, project: string, said: readonly string[]): SuiteResults {
    let report: JestReport;
    try {
      report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    } catch {
      throw new Error(`Jest ended without results for ${project}:\n${said.slice(-LINES_SHOWN).join('\n')}`);
    }
    const failed = report.testResults.filter(({ status }) => status === 'failed');
    return {
      suites: report.testResults.length,
      failed: failed.map(({ name, message, assertionResults }) => {
        const tests = assertionResults.filter(({ status }) => status === 'failed');
        const why = tests.map(({ fullName, failureMessages: [first = ''] }) => `${fullName}: ${sentenceOf(first)}`);
        return { file: relative(this.checkout, name), why: why.length > 0 ? why : [sentenceOf(message)] };
      }),
    };
  }
}

/** The first line that says something, without colours. */
function sentenceOf(message: string): string {
  const lines = message.replace(/\u001b\[[\d;]*m/g, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('●')) ?? 'no reason given';
}
