import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programArguments } from '@evenkeel/services/programs';

const ROOT = join(__dirname, '../../../..');

/** Runs a program with these settings and no others, to its end. */
export async function runToEnd(
  file: string,
  settings: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number; output: string }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0', ...settings };
  const child = spawn(process.execPath, [...programArguments(file), ...args], { cwd: ROOT, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}
