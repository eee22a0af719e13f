import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { ServiceConfig } from '../config';
import {
  appliedMigrations,
  assertOwnSession,
  foreignMigration,
  likeThePool,
  migrationNames,
  SharedSession,
} from '../persistence';
import { failureSentence, reasons, type Target } from './failure-sentence';
import { ok, wrong, type Finding, type Probe } from './finding';

/** Facts about a server and the connection. */
interface ServerFacts {
  release: string;
  database: string;
  /** Null without TLS. */
  tls: string | null;
  /** `0` where a statement may take for ever. */
  statementTimeout: string;
}

const FACTS = `
  SELECT current_setting('server_version') AS release, current_database() AS database,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS tls,
    current_setting('statement_timeout') AS "statementTimeout"`;

/** The database of a service, and its schema. */
export function databaseProbe({ DATABASE_URL }: ServiceConfig, options: DataSourceOptions): Probe {
  const settings = 'DATABASE_URL';
  return { subject: 'database', settings, examine: (stepMs) => examineDatabase(DATABASE_URL, options, stepMs) };
}

async function examineDatabase(url: string, options: DataSourceOptions, stepMs: number): Promise<Finding[]> {
  const { hostname, port } = new URL(url);
  const target: Target = {
    name: `The database at ${hostname}:${port || 5_432}`,
    settings: 'DATABASE_URL',
    authority: 'add sslrootcert=<file of its PEM> to DATABASE_URL',
  };
  const limits = { ...likeThePool(options), connectionTimeoutMillis: stepMs, query_timeout: stepMs };
  const client = new Client(limits);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertOwnSession(client, new Client(limits));
    const { rows } = await client.query<ServerFacts>(FACTS);
    const database = databaseFinding(rows[0]!, target.name);
    return [database, schemaFinding(migrationNames(options), await appliedMigrations(client))];
  } catch (error) {
    return [wrong('database', refusal(error, target))];
  } finally {
    // Not waited for: a server that hangs would not say goodbye either.
    void client.end().catch(() => undefined);
  }
}

function databaseFinding({ release, database, tls, statementTimeout }: ServerFacts, server: string): Finding {
  if (statementTimeout === '0') {
    const drops = 'a pooler before it drops what connections ask for at their start, so no statement has a limit';
    const says = `${server}: ${drops}. Give the user of DATABASE_URL its limits by ALTER ROLE: docs/scaling.md.`;
    return wrong('database', says);
  }
  return ok('database', `PostgreSQL ${release}, database ${database}, ${tls ?? 'without TLS'}.`);
}

function schemaFinding(known: readonly string[], applied: ReadonlySet<string>): Finding {
  const missing = known.filter((name) => !applied.has(name)).join(', ');
  const unknown = [...applied].filter((name) => !known.includes(name)).join(', ');
  const foreign = foreignMigration(known, applied);
  if (foreign !== undefined) {
    const says = `It is that of another service (${foreign}): correct the name of the database in DATABASE_URL.`;
    return wrong('schema', says);
  }
  if (missing !== '') return wrong('schema', `It lacks ${missing}: run the migrate program of this release.`);
  if (unknown !== '') {
    const remedy = 'run the one that made it, unless this is a rollback';
    return wrong('schema', `It has ${unknown}, which this release does not know: ${remedy}.`);
  }
  return ok('schema', `All ${known.length} migrations are applied.`);
}

function refusal(error: unknown, target: Target): string {
  if (error instanceof SharedSession) return `${error.message}.`;
  const [{ message } = new Error('no reason')] = reasons(error);
  const [, parameter] = /unsupported startup parameter: (\S+)/.exec(message) ?? [];
  if (parameter === undefined) return failureSentence(error, target);
  const remedy = 'name it in ignore_startup_parameters there, and give the user its limits by ALTER ROLE';
  return `${target.name} is a pooler that refuses ${parameter}: ${remedy}: docs/scaling.md.`;
}
