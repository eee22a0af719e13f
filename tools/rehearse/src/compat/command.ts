import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS as ACCOUNTS } from '@evenkeel/accounts';
import { MIGRATIONS as AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { MIGRATIONS as BILLING } from '@evenkeel/billing';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { choices, CommandLine, integer, runCommand, text, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import type { PostgresOptions } from '@evenkeel/platform/persistence';
import { MIGRATIONS as REPORTING } from '@evenkeel/reporting';
import { startTemporaryPostgres } from '@evenkeel/services';
import { checkCompatibility } from './check-compat';
import { NoRelease, NothingReleased, Release } from './release';

export const ROOT = join(__dirname, '../../../..');
export const MIGRATIONS: Readonly<Record<AppName, PostgresOptions['migrations']>> = {
  'agent-gateway': AGENT_GATEWAY,
  accounts: ACCOUNTS,
  billing: BILLING,
  reporting: REPORTING,
};

export const COMPAT = new CommandLine({
  call: 'npm run compat:check',
  about: `Proves that the programs of the last release run on the schema of today, as they do during an upgrade and after a rollback:
checks the release out into a temporary folder, lets it make its databases, brings them up with today's migrations, and runs
its suites on them. Those that fail run once more.`,
  usage: [
    'npm run compat:check                                              every service, against the last tag v<number>…',
    'npm run compat:check -- --ref v1.4.0 --only billing               one service, another release',
    'npm run compat:check -- --only billing --suites webhooks/faults   some of its suites',
  ],
  options: {
    ref: text({ help: 'commit to take as the release', placeholder: 'commit', otherwise: 'the last tag v<number>…' }),
    only: choices({ of: APP_NAMES, help: 'a service to check; may be repeated', placeholder: 'app', otherwise: 'all' }),
    suites: text({
      help: 'pattern of the paths of its suites',
      placeholder: 'pattern',
      fallback: String.raw`\.int\.spec`,
    }),
    workers: integer({ help: 'suites at a time', from: 1, to: 64, fallback: availableParallelism() }),
  },
  ends: `It starts PostgreSQL, and its suites start what else they need. Exit code 0 when the release runs on the schema of today,
1 when a suite fails or a change would stop it, with a sentence for each, 2 when it is not called rightly or the release is not
here, ${NothingReleased.exitCode} when nothing was released yet.`,
  read: ({ only, ...others }) => ({ ...others, only: only ?? APP_NAMES }),
});

/** @returns the exit code */
export function runCompat(args: readonly string[], env: Environment, streams: Streams): Promise<number> {
  return runCommand(COMPAT, args, streams, async ({ ref, only, suites, workers }, { out, err }) => {
    const began = performance.now();
    const say = (line: string): void => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(0).padStart(4);
      out(`${seconds} s  ${line}\n`);
    };
    const release = await Release.of(ROOT, ref).catch((error: Error) => error);
    if (release instanceof NoRelease) {
      err(`${release.message}\n`);
      return release.exitCode;
    }
    if (release instanceof Error) throw release;
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
    try {
      await using postgres = await startTemporaryPostgres();
      const apps = new Map(only.map((app) => [app, MIGRATIONS[app]]));
      const surroundings = { root: ROOT, folder, serverUrl: postgres.url, env, say };
      const offences = await checkCompatibility({ ...surroundings, release, apps, suites, workers });
      for (const offence of offences) err(`${offence}\n`);
      if (offences.length === 0) say(`${release.name} runs on the schema of today.`);
      return offences.length === 0 ? 0 : 1;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
