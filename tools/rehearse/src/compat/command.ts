import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS as ACCOUNTS } from '@evenkeel/accounts';
import { MIGRATIONS as AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { MIGRATIONS as BILLING } from '@evenkeel/billing';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { choices, CommandLine, integer, text, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { migrate, postgresOptions, type PostgresOptions } from '@evenkeel/platform/persistence';
import { MIGRATIONS as REPORTING } from '@evenkeel/reporting';
import { startTemporaryPostgres } from '@evenkeel/services';
import { Client } from 'pg';
import { ROOT } from '../cluster/cluster';
import { surroundingsOf } from '../rehearsal';
import { NoRelease, NothingReleased, Release, type Checkout } from './release';
import { breakingChanges, differencesBetween, schemaOf } from './schema';

const MIGRATIONS: Readonly<Record<AppName, PostgresOptions['migrations']>> = {
  'agent-gateway': AGENT_GATEWAY,
  accounts: ACCOUNTS,
  billing: BILLING,
  reporting: REPORTING,
};

interface Wanted {
  ref: string | undefined;
  only: readonly AppName[];
  suites: string;
  workers: number;
}

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
  read: ({ only, ...others }): Wanted => ({ ...others, only: only ?? APP_NAMES }),
});

/** @returns the exit code */
export async function runCompat({ ref, only, ...wanted }: Wanted, env: Environment, streams: Streams): Promise<number> {
  const { report } = surroundingsOf(env, streams);
  const release = await Release.of(ROOT, ref).catch((error: Error) => error);
  if (release instanceof NoRelease) {
    streams.err(`${release.message}\n`);
    return release.exitCode;
  }
  if (release instanceof Error) throw release;
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
  try {
    await using postgres = await startTemporaryPostgres();
    report(`${release.name}: checking out`);
    const checkout = await release.checkOut(folder, { env, databaseUrl: postgres.url, ...wanted });
    const offences: string[] = [];
    for (const app of only) {
      const check = new Check(app, release, checkout, postgres.url, report);
      offences.push(...(await check.run(wanted.suites)));
    }
    for (const offence of offences) streams.err(`${offence}\n`);
    if (offences.length === 0) report(`${release.name} runs on the schema of today.`);
    return offences.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each suite copies a template that the release has made, and that today's migrations have brought up since. */
class Check {
  constructor(
    private readonly app: AppName,
    private readonly release: Release,
    private readonly checkout: Checkout,
    private readonly serverUrl: string,
    private readonly report: (step: string) => void,
  ) {}

  /** @returns what is wrong, a sentence for each */
  async run(suites: string): Promise<string[]> {
    const { app, checkout, report } = this;
    report(`${app}: its schema`);
    await checkout.makeTemplate(app);
    const [template, ...more] = await this.templates();
    if (template === undefined || more.length > 0)
      throw new Error(`${app}: the release made no schema for its suites.`);
    const { offences, isChanged } = await this.bringUp(template);
    // On the schema that it has made the release has passed before.
    if (!isChanged) return offences;
    // A suite that passes the second time is not broken by the schema.
    const passed = (await checkout.pass(app, suites)) || (await checkout.pass(app, suites, '--onlyFailures'));
    report(`${app}: its suites ${passed ? 'passed' : 'failed twice'}`);
    if (!passed)
      offences.push(`${app}: suites of the release fail on the schema of today, or none matches: see above.`);
    if ((await this.templates()).join() !== template)
      offences.push(`${app}: its suites made a schema of their own, so they have proved nothing.`);
    return offences;
  }

  /** Brings the template up to today. @returns what the release cannot live with, and whether a migration is new */
  private async bringUp(template: string): Promise<{ offences: string[]; isChanged: boolean }> {
    const { app, release } = this;
    const before = await schemaOf(this.urlOf(template));
    const done = await this.migrated(template);
    const after = await schemaOf(this.urlOf(template));
    this.report(`${app}: ${done.length > 0 ? `brought up by ${done.join(', ')}` : 'no migration is new'}`);
    const fresh = `fresh_${template}`;
    await this.query(`CREATE DATABASE "${fresh}"`);
    await this.migrated(fresh);
    const differences = differencesBetween(after, await schemaOf(this.urlOf(fresh)));
    const offences = [
      ...(await breakingChanges(before, after, (name) => release.isUsed(name, app))),
      ...differences.map((one) => `a database of the release, brought up, is not as a new one is. ${one}`),
    ];
    return { offences: offences.map((sentence) => `${app}: ${sentence}`), isChanged: done.length > 0 };
  }

  private migrated(database: string): Promise<string[]> {
    return migrate(postgresOptions({ url: this.urlOf(database), entities: [], migrations: MIGRATIONS[this.app] }));
  }

  private async templates(): Promise<string[]> {
    const pattern = `^template_${this.app.replaceAll('-', '_')}_[0-9a-f]+$`;
    const rows = await this.query(`SELECT datname FROM pg_database WHERE datistemplate AND datname ~ '${pattern}'`);
    return rows.map(({ datname }) => datname);
  }

  private async query(sql: string): Promise<{ datname: string }[]> {
    const server = new Client({ connectionString: this.serverUrl });
    await server.connect();
    return (await server.query<{ datname: string }>(sql).finally(() => server.end())).rows;
  }

  private urlOf(database: string): string {
    return Object.assign(new URL(this.serverUrl), { pathname: `/${database}` }).href;
  }
}
