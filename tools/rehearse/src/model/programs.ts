import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const PROGRAMS = ['spin', 'gcc'];

/** spin or gcc is missing; the message has the command to type. */
class ProgramMissing extends Error {
  constructor(programs: readonly string[]) {
    super(
      `Missing: ${programs.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${programs.join(' ')}. ` +
        'Elsewhere see https://spinroot.com; version 6.5 is known to work.',
    );
  }
}

/** A program ended with an error; the message has all that it wrote. */
class ProgramFailed extends Error {}

interface Run {
  cwd?: string;
  /** Ends the program. */
  signal?: AbortSignal;
  /** Statuses that are no error; 0 when nothing is said. */
  statuses?: readonly number[];
}

/** @returns all that it wrote; @throws ProgramFailed, or ENOENT when there is no such program */
export function run(program: string, args: readonly string[], { cwd, signal, statuses = [0] }: Run = {}) {
  return new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('error', reject);
    child.on('close', (status) => {
      if (statuses.includes(status ?? -1)) resolve(output);
      else reject(new ProgramFailed(`${program} ${args.join(' ')} ended with ${status}:\n${output}`));
    });
  });
}

async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version'], { statuses: [0, 1] }).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
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
