import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrate, postgresOptions, type PostgresOptions } from '../persistence';

/** Any constant: one suite at a time makes or copies a template. */
const TEMPLATE_LOCK = 7_360_184_737;

/** A test's statement is no request of the product: it waits for a busy machine, but no longer for a lock. */
const WAIT_LIMIT_MS = 30_000;
const WAIT_LIMITS = {
  connectionTimeoutMillis: WAIT_LIMIT_MS,
  statement_timeout: WAIT_LIMIT_MS,
  query_timeout: WAIT_LIMIT_MS + 1_000,
};

export interface TestDatabase extends AsyncDisposable {
  url: string;
  /** Connected, with the entities of the app, and with more time than the product gives its own statements. */
  dataSource: DataSource;
  /** Closes the data source and removes the database. */
  drop(): Promise<void>;
}

type TestedApp = Pick<PostgresOptions, 'entities' | 'migrations'> & {
  /** Name of the app, for the database name. */
  name: string;
};

/**
 * A database of its own for one suite: a copy of the app's migrated template, which the first suite makes. Needs the
 * server that the Jest set-up of `tools/services` starts.
 */
export async function createTestDatabase(app: TestedApp): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run the suite with jest from the root folder.');
  const name = `test_${slug(app.name)}_${randomBytes(6).toString('hex')}`;
  await copyTemplate(serverUrl, app, name);

  const url = withDatabase(serverUrl, name);
  const options = postgresOptions({ ...app, url, poolMax: 5 });
  const dataSource = new DataSource({ ...options, extra: { ...(options.extra as object), ...WAIT_LIMITS } });
  await dataSource.initialize();
  const drop = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await withClient(serverUrl, (server) => server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  };
  return { url, dataSource, drop, [Symbol.asyncDispose]: drop };
}

async function copyTemplate(serverUrl: string, app: TestedApp, name: string): Promise<void> {
  const template = templateName(app);
  await withClient(serverUrl, async (server) => {
    await server.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [template]);
    if (rowCount === 0) await makeTemplate(server, serverUrl, app, template);
    // By files: half the work of writing each page into the log.
    await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY file_copy`);
    // As `npm start` makes it on a machine in New York.
    await server.query(`ALTER DATABASE "${name}" SET timezone = 'America/New_York'`);
  });
}

/** Marked as a template only when it is complete, so that a run killed half-way leaves nothing that looks ready. */
async function makeTemplate(server: Client, serverUrl: string, app: TestedApp, template: string): Promise<void> {
  await server.query(`DROP DATABASE IF EXISTS "${template}" WITH (FORCE)`);
  await server.query(`CREATE DATABASE "${template}"`);
  await migrate(postgresOptions({ ...app, url: withDatabase(serverUrl, template) }));
  await server.query(`ALTER DATABASE "${template}" IS_TEMPLATE true`);
}

/** Follows the text of the migrations: on a server that outlives the run, an edited one makes a new template. */
function templateName({ name, migrations }: TestedApp): string {
  const digest = createHash('sha256');
  for (const migration of migrations) digest.update(String(migration));
  return `template_${slug(name)}_${digest.digest('hex').slice(0, 12)}`;
}

function slug(name: string): string {
  return name.replace(/[^a-z0-9]+/g, '_');
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
