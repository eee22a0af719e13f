import { spawn } from 'node:child_process';

/** A program ended with an error; the message has all that it wrote. */
export class ProgramFailed extends Error {}

export interface Run {
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

export async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version'], { statuses: [0, 1] }).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
