import { existsSync } from 'node:fs';
import { isInstalled, run } from './programs';

const PROGRAMS = ['spin', 'gcc'];

/** spin or gcc is missing; the message has the command to type. */
export class ProgramMissing extends Error {
  constructor(programs: readonly string[]) {
    super(
      `Missing: ${programs.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${programs.join(' ')}. ` +
        'Elsewhere see https://spinroot.com; version 6.5 is known to work.',
    );
  }
}

/**
 * Makes sure of spin and a C compiler.
 * @param installs as root on Debian, what is missing is installed
 * @throws ProgramMissing
 */
export async function needPrograms(installs: boolean, say: (line: string) => void): Promise<void> {
  let missing = await missingPrograms();
  if (missing.length > 0 && installs && canInstall()) {
    say(`Installing ${missing.join(' and ')} from the packages of this system (apt-get) …`);
    await install(missing);
    missing = await missingPrograms();
  }
  if (missing.length > 0) throw new ProgramMissing(missing);
}

async function missingPrograms(): Promise<string[]> {
  const installed = await Promise.all(PROGRAMS.map(isInstalled));
  return PROGRAMS.filter((_, index) => !installed[index]);
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

async function install(packages: readonly string[]): Promise<void> {
  try {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  } catch {
    throw new ProgramMissing(packages);
  }
}
