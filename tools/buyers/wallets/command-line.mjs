import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a program of a package to its end. */
export async function run(program, args, env) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
