import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS as ACCOUNTS } from '@evenkeel/accounts';
import { MIGRATIONS as AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { MIGRATIONS as BILLING } from '@evenkeel/billing';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { choices, CommandLine, text, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { migrate, postgresOptions, type PostgresOptions } from '@evenkeel/platform/persistence';
import { MIGRATIONS as REPORTING } from '@evenkeel/reporting';
import { startTemporaryPostgres } from '@evenkeel/services';
import { Client } from 'pg';
import { different } from '../books';
import { ROOT } from '../cluster/cluster';
import { surroundingsOf } from '../rehearsal';
import { NoRelease, NothingReleased, Release, type Checkout } from './release';

const MIGRATIONS: Readonly<Record<AppName, PostgresOptions['migrations']>> = {
  'agent-gateway': AGENT_GATEWAY,
  accounts: ACCOUNTS,
  billing: BILLING,
  reporting: REPORTING,
};

const SUITES = String.raw`\.int\.spec`;

interface Wanted {
  ref: string | undefined;
  only: readonly AppName[];
}

export const COMPAT = new CommandLine({
  call: 'npm run compat:check',
  about: `Proves that the programs of the last release run on the schema of today, as they do during an upgrade and after a rollback:
checks the release out into a temporary folder, lets it make its databases, brings them up with today's migrations, and runs
its suites on them. Those that fail run once more.`,
  usage: [
    'npm run compat:check                                   every service, against the last tag v<number>…',
    'npm run compat:check -- --ref v1.4.0 --only billing    one service, another release',
  ],
  options: {
    ref: text({ help: 'commit to take as the release', placeholder: 'commit', otherwise: 'the last tag v<number>…' }),
    only: choices({ of: APP_NAMES, help: 'a service to check; may be repeated', placeholder: 'app', otherwise: 'all' }),
  },
  ends: `It starts PostgreSQL, and its suites start what else they need. Exit code 0 when the release runs on the schema of today,
1 when it does not, with a sentence for each, 2 when it is not called rightly or the release is not
here, ${NothingReleased.exitCode} when nothing was released yet.`,
  read: ({ ref, only }): Wanted => ({ ref, only: only ?? APP_NAMES }),
});

/** @returns the exit code */
export async function runCompat({ ref, only }: Wanted, env: Environment, streams: Streams): Promise<number> {
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
    const checkout = await release.checkOut(folder, { env, databaseUrl: postgres.url });
    const offences: string[] = [];
    for (const app of only) {
      offences.push(...(await new Check(app, checkout, postgres.url, report).run()));
    }
    for (const offence of offences) streams.err(`${offence}\n`);
    if (offences.length === 0) report(`${release.name} runs on the schema of today.`);
    return offences.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const COLUMNS = `
  SELECT concat_ws(' ', a.attrelid::regclass || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'not null' END, pg_get_expr(d.adbin, d.adrelid)) AS name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
    AND c.relnamespace::regnamespace::text <> 'information_schema' AND c.relnamespace::regnamespace::text NOT LIKE 'pg\\_%'`;

/** Each suite copies a template that the release has made, and that today's migrations have brought up since. */
class Check {
  constructor(
    private readonly app: AppName,
    private readonly checkout: Checkout,
    private readonly serverUrl: string,
    private readonly report: (step: string) => void,
  ) {}

  /** @returns what is wrong, a sentence for each */
  async run(): Promise<string[]> {
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
    const passed = (await checkout.pass(app, SUITES)) || (await checkout.pass(app, SUITES, '--onlyFailures'));
    report(`${app}: its suites ${passed ? 'passed' : 'failed twice'}`);
    if (!passed)
      offences.push(`${app}: suites of the release fail on the schema of today, or none matches: see above.`);
    if ((await this.templates()).join() !== template)
      offences.push(`${app}: its suites made a schema of their own, so they have proved nothing.`);
    return offences;
  }

  /** Brings the template up to today. @returns where it is not as a new database is, and whether a migration is new */
  private async bringUp(template: string): Promise<{ offences: string[]; isChanged: boolean }> {
    const done = await this.migrated(template);
    this.report(`${this.app}: ${done.length > 0 ? `brought up by ${done.join(', ')}` : 'no migration is new'}`);
    const fresh = `fresh_${template}`;
    await this.query(`CREATE DATABASE "${fresh}"`);
    await this.migrated(fresh);
    const [brought, made] = [await this.columns(template), await this.columns(fresh)];
    const offences = different('columns of a new database', made, 'one of the release, brought up', brought);
    return { offences: offences.map((sentence) => `${this.app}: ${sentence}`), isChanged: done.length > 0 };
  }

  /** `orders.total integer not null` */
  private async columns(database: string): Promise<string[]> {
    const rows = await this.query(COLUMNS, database);
    return rows.map(({ name }) => name);
  }

  private migrated(database: string): Promise<string[]> {
    return migrate(postgresOptions({ url: this.urlOf(database), entities: [], migrations: MIGRATIONS[this.app] }));
  }

  private async templates(): Promise<string[]> {
    const pattern = `^template_${this.app.replaceAll('-', '_')}_[0-9a-f]+$`;
    const templates = `SELECT datname AS name FROM pg_database WHERE datistemplate AND datname ~ '${pattern}'`;
    return (await this.query(templates)).map(({ name }) => name);
  }

  private async query(sql: string, database = 'postgres'): Promise<{ name: string }[]> {
    const server = new Client({ connectionString: this.urlOf(database) });
    await server.connect();
    return (await server.query<{ name: string }>(sql).finally(() => server.end())).rows;
  }

  private urlOf(database: string): string {
    return Object.assign(new URL(this.serverUrl), { pathname: `/${database}` }).href;
  }
}
