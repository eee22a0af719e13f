import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Called with messages for an operator, in sentences. */
export type OperatorLog = (line: string) => void;

/** Standard error: what a command prints for other programs stays clean. */
export const logToOperator: OperatorLog = (line) => void process.stderr.write(`${line}\n`);

/** A backing service cannot run here; the message says why and what to type. */
export class CannotStartService extends Error {
  override readonly name: string = 'CannotStartService';
}

/** Lists of packages may be missing or old; only then they are fetched. apt lets one at a time in: we wait for each other, and for others. */
const INSTALL = `
  export DEBIAN_FRONTEND=noninteractive
  install="apt-get install -y --no-install-recommends -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 $0"
  $install || { apt-get update -qq && $install; }`;

export interface Program {
  /** As one types it. */
  name: string;
  /** Of Debian and what descends from it. */
  debianPackage: string;
  /** Its name and the alternatives, for an error: `Redis, or set REDIS_URL to a server of your own`. */
  purpose: string;
}

/**
 * Finds a program on the PATH. As root on Debian a missing one is installed, and said.
 * @returns its full path
 * @throws CannotStartService with the command to type
 */
export async function ensureProgram(program: Program, log: OperatorLog = logToOperator): Promise<string> {
  const { name, debianPackage, purpose } = program;
  const installed = findProgram(name);
  if (installed) return installed;
  if (process.getuid?.() === 0 && findProgram('apt-get')) {
    const what = `The program ${name} is missing: installing Debian's package ${debianPackage}`;
    const args = [join(tmpdir(), 'evenkeel-apt.lock'), 'sh', '-c', INSTALL, debianPackage];
    await runInstaller(what, 'util-linux', { program: 'flock', args, env: environment() }, log);
  }
  const path = findProgram(name);
  if (path) return path;
  throw new CannotStartService(
    `The program ${name} is not installed. On Debian or Ubuntu type "sudo apt-get update && sudo apt-get install -y ` +
      `${debianPackage}"; elsewhere install ${purpose}.`,
  );
}

/** @returns its full path, or nothing when it is not on the PATH */
function findProgram(name: string): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$0"', name], { env: environment(), encoding: 'utf8' });
  return stdout.trim() || undefined;
}

/** Said to children, because in Jest they get that of the whole run, and not what a test has changed. */
export function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-syntax -- where programs are is no setting of the product
  return process.env;
}

export interface Command {
  program: string;
  args: readonly string[];
  cwd?: string;
  env: NodeJS.ProcessEnv;
}

const LAST_LINES = 15;
const PROGRESS_MS = 15_000;

/**
 * Runs a package manager or a compiler, and says every 15 s that it still works.
 * @param what it does, for the sentence about it: `pip installs the packages of docs/buy/python`
 * @param needs what to install when the program is missing
 * @throws CannotStartService with the last lines that it printed
 */
export async function runInstaller(
  what: string,
  needs: string,
  { program, args, cwd, env }: Command,
  log: OperatorLog,
): Promise<void> {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  log(`${what}.`);
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => void (lines.push(line) > LAST_LINES && lines.shift()));
  }
  const progress = setInterval(() => log(`${what}: ${seconds()} s so far.`), PROGRESS_MS);
  const status = await once(child, 'close').then(
    ([code]: (number | null)[]) => code,
    (error: NodeJS.ErrnoException) => error.code,
  );
  clearInterval(progress);
  if (status === 'ENOENT') throw new CannotStartService(`The program ${program} is not installed: install ${needs}.`);
  if (status !== 0) throw new CannotStartService(`${what}: failed (${status}).\n${lines.join('\n')}`);
  log(`${what}: done in ${seconds()} s.`);
}
