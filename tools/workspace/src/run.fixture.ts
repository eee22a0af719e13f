import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../../..');

/**
 * Runs a program of the workspace in its root.
 * @param program in node_modules/.bin, or an absolute path
 * @param root of another workspace
 * @returns standard output
 * @throws Error with all that it wrote, when it fails
 */
export function run(program: string, args: readonly string[], input = '', root = ROOT): Promise<string> {
  const path = join(ROOT, 'node_modules/.bin');
  // Nx works in the process that asks for it, and starts no others for its plugins.
  const nx = { NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_WORKSPACE_ROOT_PATH: root };
  const env = { ...process.env, ...nx, PATH: `${path}:${process.env.PATH}`, FORCE_COLOR: '0' };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')} failed:\n${output}${errors}`));
    });
    child.stdin.end(input);
  });
}
