import { Program, stopPrograms } from '@evenkeel/services/programs';
import { send } from './http.fixture';

jest.setTimeout(60_000);

afterEach(stopPrograms);

async function aService() {
  const program = Program.start('libs/platform/src/http/run-http.fixture.ts');
  const [url] = await program.prints(/^http:.*$/m);
  return { url, program };
}

it.each(['SIGTERM', 'SIGINT'] as const)('finishes its request on %s and exits with 0', async (name) => {
  const { url, program } = await aService();
  const answer = send(`${url}/slow`);
  await program.prints(/working/);
  program.kill(name);
  expect((await answer).json()).toEqual({ done: true });
  expect(await program.exit).toEqual({ code: 0, signal: null });
});

it('finishes its request when the same Ctrl-C comes from the terminal and from npm', async () => {
  const { url, program } = await aService();
  const answer = send(`${url}/slow`);
  await program.prints(/working/);
  program.kill('SIGINT');
  // Two signals in a row may be delivered as one.
  setTimeout(() => program.kill('SIGINT'), 50);
  expect((await answer).json()).toEqual({ done: true });
  expect(await program.exit).toEqual({ code: 0, signal: null });
});

it('exits at once on another signal a second later', async () => {
  const { url, program } = await aService();
  const answer = send(`${url}/stuck`).catch((error: unknown) => error);
  await program.prints(/working/);
  const began = performance.now();
  program.kill('SIGTERM');
  // Two signals in a row may be delivered as one: repeated until the process is gone.
  const again = setInterval(() => program.kill('SIGTERM'), 50);
  expect(await program.exit).toEqual({ code: 1, signal: null });
  clearInterval(again);
  expect(performance.now() - began).toBeLessThan(9_000);
  expect(await answer).toMatchObject({ code: 'ECONNRESET' });
});
