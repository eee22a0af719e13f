import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { send } from './http.fixture';

jest.setTimeout(60_000);

async function aService() {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const child = spawn(process.execPath, [...flags, join(__dirname, 'run-http.fixture.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value as string;
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { url: await nextLine(), nextLine, exit, signal: (name: NodeJS.Signals) => child.kill(name) };
}

it.each(['SIGTERM', 'SIGINT'] as const)('finishes its request on %s and exits with 0', async (name) => {
  const service = await aService();
  const answer = send(`${service.url}/slow`);
  await service.nextLine();
  service.signal(name);
  expect((await answer).json()).toEqual({ done: true });
  expect(await service.exit).toEqual([0, null]);
});

it('finishes its request when the same Ctrl-C comes from the terminal and from npm', async () => {
  const service = await aService();
  const answer = send(`${service.url}/slow`);
  await service.nextLine();
  service.signal('SIGINT');
  // Two signals in a row may be delivered as one.
  setTimeout(() => service.signal('SIGINT'), 50);
  expect((await answer).json()).toEqual({ done: true });
  expect(await service.exit).toEqual([0, null]);
});

it('exits at once on another signal a second later', async () => {
  const service = await aService();
  const answer = send(`${service.url}/stuck`).catch((error: unknown) => error);
  await service.nextLine();
  const began = performance.now();
  service.signal('SIGTERM');
  // Two signals in a row may be delivered as one: repeated until the process is gone.
  const again = setInterval(() => service.signal('SIGTERM'), 50);
  expect(await service.exit).toEqual([1, null]);
  clearInterval(again);
  expect(performance.now() - began).toBeLessThan(9_000);
  expect(await answer).toMatchObject({ code: 'ECONNRESET' });
});
