import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(args: string[], env: Record<string, string>): ChildProcess & { output: Promise<string> } {
  const child = spawn(
    process.execPath,
    ['--conditions=@evenkeel/source', '--require', '@swc-node/register', join(__dirname, 'main.ts'), ...args],
    { cwd: join(__dirname, '../../..'), env: { PATH: process.env.PATH, ...env } },
  );
  started.push(child);
  return Object.assign(child, { output: firstOutput(child) });
}

async function firstOutput({ stdout, stderr }: ChildProcess): Promise<string> {
  const [text] = (await Promise.race([once(stdout!, 'data'), once(stderr!, 'data')])) as [Buffer];
  return text.toString();
}

it('says where it is when it is ready, and ends on SIGTERM', async () => {
  const child = start([], { FACILITATOR_HOST: 'localhost', FACILITATOR_PORT: '0', X402_NETWORK: 'eip155:84532' });
  const { ready, url } = JSON.parse(await child.output) as { ready: boolean; url: string };
  expect([ready, new URL(url).hostname]).toEqual([true, 'localhost']);
  const { kinds } = (await (await fetch(`${url}/supported`)).json()) as { kinds: object[] };
  expect(kinds).toContainEqual({ x402Version: 2, scheme: 'exact', network: 'eip155:84532' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 20_000);

it('refuses production', async () => {
  const child = start([], { NODE_ENV: 'production' });
  const exit = once(child, 'exit');
  expect(await child.output).toContain('NODE_ENV must not be production');
  expect(await exit).toEqual([1, null]);
}, 20_000);
