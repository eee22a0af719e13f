import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

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
    const git = (...args: string[]) => run('git', args, { cwd: root });
    const name = ref ?? (await git('describe', '--tags', '--abbrev=0', '--match', TAGS).then(firstLine, () => ''));
    if (name === '') {
      const isPart = (await git('rev-parse', '--is-shallow-repository').then(firstLine)) === 'true';
      if (isPart) throw new NoRelease(`${NO_TAG} The clone is shallow: type "git fetch --tags --unshallow".`);
      throw new NothingReleased(`${NO_TAG} Where there was a release, name its commit: --ref <commit>.`);
    }
    const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).then(
      firstLine,
      () => '',
    );
    if (commit === '') throw new NoRelease(`There is no commit ${name} here.`);
    return new Release(root, name, commit);
  }

  /** Class names of the migrations that an app has in it. */
  async migrations(app: string): Promise<Set<string>> {
    const lines = await this.grep(['--only-matching', '-h', '-E', 'class [A-Za-z]+[0-9]{13}'], [migrationsOf(app)]);
    return new Set(lines.map((line) => line.slice('class '.length)));
  }

  /** Files of its code, migrations not among them, that name a table or a column. */
  usesOf(word: string, app: string): Promise<string[]> {
    const places = [`apps/${app}/src`, 'libs/platform/src', `:!${migrationsOf(app)}`, ':!*.spec.ts', ':!*.fixture.ts'];
    return this.grep(['--name-only', '--fixed-strings', '--word-regexp', word], places);
  }

  /** Writes its files into a folder. */
  async checkOut(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const archive = spawn('git', ['archive', this.commit], { cwd: this.root, stdio: ['ignore', 'pipe', 'pipe'] });
    const unpacking = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] });
    const [, , ...said] = await Promise.all([
      once(archive, 'close'),
      once(unpacking, 'close'),
      text(archive.stderr),
      text(unpacking.stderr),
      // One that fails says why itself.
      pipeline(archive.stdout, unpacking.stdin).catch(() => undefined),
    ]);
    if (archive.exitCode !== 0 || unpacking.exitCode !== 0) {
      throw new Error(`${this.name} could not be checked out to ${folder}: ${said.join('').trim()}`);
    }
  }

  private async grep(options: string[], places: string[]): Promise<string[]> {
    try {
      const args = ['grep', ...options, this.commit, '--', ...places];
      const { stdout } = await run('git', args, { cwd: this.root, maxBuffer: OUTPUT_MAX });
      return stdout.trim().split('\n');
    } catch (error) {
      // It found nothing.
      if ((error as { code?: unknown }).code === 1) return [];
      throw error;
    }
  }
}

const migrationsOf = (app: string): string => `apps/${app}/src/migrations`;

const firstLine = ({ stdout }: { stdout: string }): string => stdout.split('\n')[0]!;

/**
 * Gives a checkout its packages: links to those that are installed here where both lock files are the same, else by npm.
 * @param say called when npm has to install them
 */
export async function providePackages(root: string, checkout: string, say: (line: string) => void): Promise<void> {
  const [here, there] = [root, checkout].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const packages = join(checkout, 'node_modules');
  if (here === there) {
    const linked = await run('cp', ['-al', join(root, 'node_modules'), packages]).then(
      () => true,
      () => false,
    );
    // Writes there would be writes here too.
    rmSync(join(packages, '.cache'), { recursive: true, force: true });
    if (linked) return;
  }
  say('its packages are not those that are installed here: npm ci');
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', args, { cwd: checkout, maxBuffer: OUTPUT_MAX });
}
