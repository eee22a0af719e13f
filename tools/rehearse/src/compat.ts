import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MIGRATIONS as ACCOUNTS } from '@evenkeel/accounts';
import { MIGRATIONS as AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { MIGRATIONS as BILLING } from '@evenkeel/billing';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { Command, InvalidArgumentError, Option } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { migrate, postgresOptions, type PostgresOptions } from '@evenkeel/platform/persistence';
import { MIGRATIONS as REPORTING } from '@evenkeel/reporting';
import { startTemporaryPostgres } from '@evenkeel/services';
import { Client } from 'pg';
import { different } from './books';
import { ROOT } from './cluster/cluster';
import { command, verdict } from './rehearsal';

const MIGRATIONS: Readonly<Record<AppName, PostgresOptions['migrations']>> = {
  'agent-gateway': AGENT_GATEWAY,
  accounts: ACCOUNTS,
  billing: BILLING,
  reporting: REPORTING,
};

const NOTHING_RELEASED = 3;

const LINE = new Command('npm run compat:check --')
  .description(
    `Proves that the programs of the last release run on the schema of today: lets the release make its databases, brings them up
with today's migrations, and runs the suites of the release on them. Those that fail run once more.`,
  )
  .option('--ref <commit>', 'commit to take as the release; by default the last tag v<number>…')
  .addOption(
    new Option('--only <apps...>', 'a service to check; may be repeated')
      .choices(APP_NAMES)
      .default(APP_NAMES, 'all of them'),
  )
  .addHelpText(
    'after',
    `
Exit code 0 when the release runs on the schema of today, 1 when it does not, with a sentence for each, 2 when it is not
called rightly or the release is not here, ${NOTHING_RELEASED} when nothing was released yet.`,
  );

const run = promisify(execFile);

/** @returns its output; nothing where it fails */
const git = (...args: string[]): Promise<string> =>
  run('git', args, { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );

export const compat = command(LINE, async ({ ref, only }, { env, report, out }) => {
  const name = ref ?? (await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*'));
  if (name === '') {
    report('There is no tag v<number>… of a release here. Type "git fetch --tags", or name its commit: --ref.');
    return NOTHING_RELEASED;
  }
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  if (commit === '') throw new InvalidArgumentError(`There is no commit ${name} here.`);
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
  try {
    await using postgres = await startTemporaryPostgres();
    report(`${name}: checking out`);
    await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, folder], { cwd: ROOT });
    const install = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', install, { cwd: folder, maxBuffer: 64 * 1_048_576 });
    const offences: string[] = [];
    for (const app of only) {
      report(app);
      const found = await offencesOf(app, { folder, env, serverUrl: postgres.url });
      offences.push(...found.map((sentence) => `${app}: ${sentence}`));
    }
    return verdict(offences, `${name} runs on the schema of today.`, out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** `orders.total integer not null` */
const COLUMNS = `
  SELECT concat_ws(' ', a.attrelid::regclass || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'not null' END, pg_get_expr(d.adbin, d.adrelid)) AS name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
    AND c.relnamespace::regnamespace::text <> 'information_schema' AND c.relnamespace::regnamespace::text NOT LIKE 'pg\\_%'`;

const TEMPLATE_SUITE = (app: AppName) => `import { createTestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES, MIGRATIONS } from './database';
it('makes the template', async () => {
  const database = await createTestDatabase({ name: '${app}', entities: ENTITIES, migrations: MIGRATIONS });
  await database.drop();
});
`;

interface Release {
  /** With its sources and packages. */
  folder: string;
  env: Environment;
  /** PostgreSQL for its suites. */
  serverUrl: string;
}

/**
 * Each suite of a release copies a template that the release has made, and that today's migrations have brought up since.
 * @returns what is wrong, a sentence for each
 */
async function offencesOf(app: AppName, release: Release): Promise<string[]> {
  const urlOf = (database: string): string =>
    Object.assign(new URL(release.serverUrl), { pathname: `/${database}` }).href;
  const namesIn = async (database: string, sql: string): Promise<string[]> => {
    const client = new Client({ connectionString: urlOf(database) });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(sql).finally(() => client.end());
    return rows.map(({ name }) => name);
  };
  const migrated = (database: string) =>
    migrate(postgresOptions({ url: urlOf(database), entities: [], migrations: MIGRATIONS[app] }));
  const pattern = `^template_${app.replaceAll('-', '_')}_[0-9a-f]+$`;
  const templates = () =>
    namesIn('postgres', `SELECT datname AS name FROM pg_database WHERE datistemplate AND datname ~ '${pattern}'`);

  const suite = join(release.folder, 'apps', app, 'src/template-of-release.int.spec.ts');
  writeFileSync(suite, TEMPLATE_SUITE(app));
  await pass(app, release, 'template-of-release');
  rmSync(suite);
  const [template, ...more] = await templates();
  if (template === undefined || more.length > 0) return ['the release made no schema for its suites.'];
  const isChanged = (await migrated(template)).length > 0;
  await namesIn('postgres', `CREATE DATABASE "fresh_${template}"`);
  await migrated(`fresh_${template}`);
  const [made, brought] = [await namesIn(`fresh_${template}`, COLUMNS), await namesIn(template, COLUMNS)];
  const offences = different('columns of a new database', made, 'one of the release, brought up', brought);
  // On the schema that it has made the release has passed before.
  if (!isChanged) return offences;
  const SUITES = String.raw`\.int\.spec`;
  // A suite that passes the second time is not broken by the schema.
  if (!(await pass(app, release, SUITES)) && !(await pass(app, release, SUITES, '--onlyFailures')))
    offences.push('suites of the release fail on the schema of today, or none matches: see above.');
  if ((await templates()).join() !== template)
    offences.push('its suites made a schema of their own, so they have proved nothing.');
  return offences;
}

/** Of one call of Jest; the suites of an app take a few minutes. */
const LIMIT_MS = 20 * 60 * 1_000;
/** Settings of a run of tests around this one. */
const OF_ANOTHER_RUN = /^(TEST_|JEST_|NODE_ENV$|NODE_OPTIONS$)/;

/** Suites of the release, by its own Jest; what it says goes to standard error. @returns whether there are such suites and all pass */
async function pass(app: AppName, { folder, env, serverUrl }: Release, ...args: string[]): Promise<boolean> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ANOTHER_RUN.test(name)));
  const child = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...args, '--selectProjects', app], {
    cwd: folder,
    env: { ...kept, TEST_DATABASE_URL: serverUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: LIMIT_MS,
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}
