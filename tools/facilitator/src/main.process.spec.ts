import { Program, stopPrograms } from '@evenkeel/services/programs';

afterEach(stopPrograms);

it('says where it is when it is ready, serves buyers alone, and ends on SIGTERM', async () => {
  const env = { FACILITATOR_HOST: 'localhost', FACILITATOR_PORT: '0', X402_NETWORK: 'eip155:84532' };
  const program = Program.script('facilitator', env);
  const { url } = await program.ready();
  const { kinds } = (await (await fetch(`${url}/supported`)).json()) as { kinds: object[] };
  expect(kinds).toContainEqual({ x402Version: 2, scheme: 'exact', network: 'eip155:84532' });
  // Without FACILITATOR_CONTROL.
  expect((await fetch(`${url}/control`, { method: 'POST', body: '{}' })).status).toBe(404);
  expect(await program.stop()).toEqual({ code: 0, signal: null });
});

it('refuses production', async () => {
  const program = Program.script('facilitator', { NODE_ENV: 'production' });
  expect((await program.exit).code).toBe(1);
  expect(program.output).toContain('NODE_ENV must not be production');
});
