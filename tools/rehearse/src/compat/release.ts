import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AppName } from '@evenkeel/contracts';
import type { Environment } from '@evenkeel/platform/config';

const run = promisify(execFile);
const TAGS = 'v[0-9]*';
const NO_TAG = 'There is no tag v<number>… of a release here.';
const OUTPUT_MAX = 64 * 1024 * 1024;

/** The release to compare with is not here; the message says how to get it or name it. */
export class NoRelease extends Error {
  /** Of the command. */
  readonly exitCode: number = 2;
}

/** Nothing was released yet: all commits are here, and none has the tag of a release. */
export class NothingReleased extends NoRelease {
  static readonly exitCode = 3;
  override readonly exitCode = NothingReleased.exitCode;
}

/** A commit whose programs may still run while the schema is that of today. */
export class Release {
  private constructor(
    private readonly root: string,
    /** As it was named, or its tag. */
    readonly name: string,
    private readonly commit: string,
  ) {}

  /**
   * @param ref a commit by any name; default: the last tag `v<number>…` before the commit that is checked out
   * @throws NoRelease, which is NothingReleased where it will not come with more commits
   */
  static async of(root: string, ref?: string): Promise<Release> {
    const git = (...args: string[]): Promise<string> =>
      run('git', args, { cwd: root }).then(
        ({ stdout }) => stdout.trim(),
        () => '',
      );
    const name = ref ?? (await git('describe', '--tags', '--abbrev=0', '--match', TAGS));
    if (name === '') {
      if ((await git('rev-parse', '--is-shallow-repository')) === 'true')
        throw new NoRelease(`${NO_TAG} The clone is shallow: type "git fetch --tags --unshallow".`);
      throw new NothingReleased(`${NO_TAG} Where there was a release, name its commit: --ref <commit>.`);
    }
    const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
    if (commit === '') throw new NoRelease(`There is no commit ${name} here.`);
    return new Release(root, name, commit);
  }

  /** Writes its files into a folder, with the packages that are installed here where both lock files are the same. */
  async checkOut(folder: string, options: CheckoutOptions): Promise<Checkout> {
    const [root, packages] = [this.root, join(folder, 'node_modules')];
    await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', this.commit, folder], { cwd: root });
    const [here, there] = [root, folder].map((one) => readFileSync(join(one, 'package-lock.json'), 'utf8'));
    if (here === there) {
      await run('cp', ['-al', join(root, 'node_modules'), packages]);
      // Writes there would be writes here too.
      rmSync(join(packages, '.cache'), { recursive: true, force: true });
    } else {
      const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
      await run('npm', args, { cwd: folder, maxBuffer: OUTPUT_MAX });
    }
    return new Checkout(folder, options);
  }
}

interface CheckoutOptions {
  env: Environment;
  databaseUrl: string;
}

/** Of one call of Jest; the suites of an app take a few minutes. */
const LIMIT_MS = 20 * 60 * 1_000;
/** Settings of a run of tests around this one. */
const OF_ANOTHER_RUN = /^(TEST_|JEST_|NODE_ENV$|NODE_OPTIONS$)/;

/** The suites of a release, run by its own Jest on the PostgreSQL that is given; what it says goes to standard error. */
export class Checkout {
  constructor(
    private readonly folder: string,
    private readonly options: CheckoutOptions,
  ) {}

  /** Lets the release make the template that its suites copy. */
  async makeTemplate(app: AppName): Promise<void> {
    const suite = join(this.folder, 'apps', app, 'src/template-of-release.int.spec.ts');
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
    await this.pass(app, 'template-of-release');
    rmSync(suite);
  }

  /**
   * @param args pattern of the paths of its suites, or another choice of them
   * @returns whether there are such suites and all of them pass
   * @throws Error when Jest does not end in time
   */
  async pass(project: AppName, ...args: string[]): Promise<boolean> {
    const { env, databaseUrl } = this.options;
    const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ANOTHER_RUN.test(name)));
    const chosen = [...args, '--selectProjects', project];
    const child = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...chosen], {
      cwd: this.folder,
      env: { ...kept, TEST_DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: LIMIT_MS,
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== null) throw new Error(`The suites of ${project} did not end within ${LIMIT_MS / 60_000} minutes.`);
    return code === 0;
  }
}
