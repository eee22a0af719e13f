import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@evenkeel/platform/config';
import { migrate, postgresOptions, type PostgresOptions } from '@evenkeel/platform/persistence';
import { Client } from 'pg';
import { providePackages, type Release } from './release';
import { ReleaseSuites } from './release-suites';
import { breakingChanges, differencesBetween, schemaOf } from './schema';

type Migrations = PostgresOptions['migrations'];

export interface CompatOptions {
  /** The workspace. */
  root: string;
  release: Release;
  /** Empty; the release is checked out there. */
  folder: string;
  /** PostgreSQL of this check alone, as its superuser. */
  serverUrl: string;
  /** By app: all its migrations of today. */
  apps: ReadonlyMap<string, Migrations>;
  /** Pattern of the paths of its suites. */
  suites: string;
  /** Of Jest. */
  workers: number;
  env: Environment;
  say: (line: string) => void;
}

/**
 * Runs the suites of a release on the schema of today, where a migration is new: each copies a template that the release has
 * made, and that today's migrations have brought up since.
 * @returns what is wrong, a sentence for each
 */
export async function checkCompatibility(options: CompatOptions): Promise<string[]> {
  const { root, release, folder, serverUrl, say } = options;
  say(`${release.name}: checking out`);
  await release.checkOut(folder);
  await providePackages(root, folder, say);
  const server = new Client({ connectionString: serverUrl });
  await server.connect();
  try {
    return await new Check(options, server).run();
  } finally {
    await server.end();
  }
}

class Check {
  private readonly suites: ReleaseSuites;

  constructor(
    private readonly options: CompatOptions,
    private readonly server: Client,
  ) {
    const { folder, serverUrl, env, workers } = options;
    this.suites = new ReleaseSuites(folder, { env, databaseUrl: serverUrl, workers });
  }

  async run(): Promise<string[]> {
    const offences: string[] = [];
    for (const [app, migrations] of this.options.apps) {
      const sentences = await this.app(app, migrations);
      offences.push(...sentences.map((sentence) => `${app}: ${sentence}`));
    }
    return offences;
  }

  private async app(app: string, migrations: Migrations): Promise<string[]> {
    const { say, suites } = this.options;
    const template = await this.makeTemplate(app);
    const { offences, isChanged } = await this.bringUp(app, template, migrations);
    // On the schema that it has made the release has passed before.
    if (!isChanged) return offences;
    // A suite that passes the second time is not broken by the schema.
    const passed = (await this.suites.pass(app, suites)) || (await this.suites.pass(app, suites, '--onlyFailures'));
    say(`${app}: its suites ${passed ? 'passed' : 'failed twice'}`);
    if (!passed) offences.push('suites of the release fail on the schema of today, or none matches: see above.');
    if ((await this.templatesOf(app)).join() !== template) {
      offences.push('its suites made a schema of their own, so they have proved nothing.');
    }
    return offences;
  }

  /** Lets the release make the template that its suites copy. */
  private async makeTemplate(app: string): Promise<string> {
    const { folder, say } = this.options;
    say(`${app}: its schema`);
    const suite = join(folder, 'apps', app, 'src/template-of-release.int.spec.ts');
    writeFileSync(
      suite,
      `import { createTestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES, MIGRATIONS } from './database';
it('makes the template', async () => {
  const database = await createTestDatabase({ name: '${app}', entities: ENTITIES, migrations: MIGRATIONS });
  await database.drop();
});
`,
    );
    const passed = await this.suites.pass(app, 'template-of-release');
    rmSync(suite);
    const [template, ...more] = await this.templatesOf(app);
    if (!passed || template === undefined || more.length > 0) {
      throw new Error(`${app}: the release made no schema for its suites.`);
    }
    return template;
  }

  /** Brings the template up to today. @returns what the release cannot live with, and whether a migration is new */
  private async bringUp(app: string, template: string, migrations: Migrations) {
    const { release, say } = this.options;
    const url = this.urlOf(template);
    const before = await schemaOf(url);
    const done = await migrate(postgresOptions({ url, entities: [], migrations }));
    const isChanged = done.length > 0;
    say(`${app}: ${isChanged ? `brought up by ${done.join(', ')}` : 'no migration is new'}`);
    const after = await schemaOf(url);
    const isUsed = async (name: string) => (await release.usesOf(name, app)).length > 0;
    const broken = await breakingChanges(before, after, isUsed);

    const fresh = `fresh_${template}`;
    await this.server.query(`CREATE DATABASE "${fresh}"`);
    await migrate(postgresOptions({ url: this.urlOf(fresh), entities: [], migrations }));
    const differences = differencesBetween(after, await schemaOf(this.urlOf(fresh)));
    const offences = [
      ...broken,
      ...differences.map((one) => `a database of the release, brought up, is not as a new one is. ${one}`),
    ];
    return { offences, isChanged };
  }

  private async templatesOf(app: string): Promise<string[]> {
    const { rows } = await this.server.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datistemplate AND datname ~ $1',
      [`^template_${app.replaceAll('-', '_')}_[0-9a-f]+$`],
    );
    return rows.map(({ datname }) => datname);
  }

  private urlOf(database: string): string {
    return Object.assign(new URL(this.options.serverUrl), { pathname: `/${database}` }).href;
  }
}
