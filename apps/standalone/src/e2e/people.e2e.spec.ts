import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@evenkeel/services/free-port';
import { ensureProgram } from '@evenkeel/services';
import { LocalRun } from './local-run.fixture';
import { Program } from './programs.fixture';

jest.setTimeout(180_000);

let local: LocalRun | undefined;
afterAll(() => local?.close(), 60_000);

it('people can follow docs/people.md to Premium and back', async () => {
  await ensureProgram({ name: 'curl', debianPackage: 'curl', purpose: 'curl' }, () => undefined);
  const port = await freePort();
  const webhook = `http://localhost:${port}/v1/billing/webhook/stripe`;
  const stripe = Program.script('stripe', {}, ['--port', '0', '--webhook', webhook]);
  await stripe.prints(/Events go to /);
  const printed = [...stripe.output.matchAll(/^export (STRIPE_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]);
  expect(printed).toHaveLength(5);
  local = new LocalRun({ ...(Object.fromEntries(printed) as NodeJS.ProcessEnv), PORT: String(port) });

  const page = readFileSync(join(__dirname, '../../../../docs/people.md'), 'utf8');
  const script = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block).join('\n');
  const commands = script.replace('http://localhost:8080', await local.url());
  const said = await promisify(execFile)('sh', ['-ec', commands], { encoding: 'utf8', timeout: 90_000 }).catch(
    (error: { stdout: string }) => {
      throw new Error(`the last that it said: ${error.stdout.slice(-1_000)}`);
    },
  );
  const [before, after] = said.stdout.split('"code":"premium_monthly"');
  expect(before).toContain('"habit":"Morning run"');
  expect(after).toMatch(/"tier":"PREMIUM"[^]*"plan_code":"premium_monthly","status":"ACTIVE"/);
  expect(after).toMatch(/x-quota-used: \d/i);
  expect(after).not.toMatch(/^x-quota-limit/im);
  expect(after).toMatch(/"cancel_at_period_end":true,"cancel_at":"20[^]*"billing":\{"provider":"stripe"\}\}$/);
});
