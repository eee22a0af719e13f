import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '../../..');

/**
 * Runs a program of the workspace in its root.
 * @param program in node_modules/.bin, or on the PATH
 * @returns standard output
 * @throws Error with all that it wrote, when it fails
 */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  // Nx works in the process that asks for it, and starts no others for its plugins.
  const env = { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', PATH, FORCE_COLOR: '0' };
  const ended = promisify(execFile)(program, args, { cwd: ROOT, env, maxBuffer: 2 ** 24 });
  const { stdout } = await ended.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}
