import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CannotStartService } from '@evenkeel/services';

export type Log = (line: string) => void;

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
export async function runInstaller(what: string, needs: string, command: Command, log: Log): Promise<void> {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  log(`${what}.`);
  const { program, args, cwd, env } = command;
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
