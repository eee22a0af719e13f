import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { buildStripeMock, hasGo } from '../schema/stripe-mock-module';
import { billingCallOf, billingCalls } from './billing-calls';
import { MockServer } from './mock-server';
import { recordCalls } from './recorded-calls';

const CHECK = new CommandLine({
  call: 'npm run stripe:check',
  about: `Sends every call that billing makes, and every one that the development Stripe knows, to stripe-mock, Stripe's own
server for tests, which checks parameters against the schemas. It builds that server, so it needs a Go compiler.`,
  options: {},
  ends: 'It exits with 0 when all calls are accepted, or when there is no Go compiler; with 1 when one is refused.',
  read: () => ({}),
});

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, async (_none, { out }) => {
    if (!(await hasGo())) {
      out('Nothing was checked: there is no Go compiler to build stripe-mock with.\n');
      return 0;
    }
    const ofBilling = billingCalls();
    const known = (await recordCalls()).filter(({ status }) => status === 200).map(billingCallOf);
    const folder = await mkdtemp(join(tmpdir(), 'stripe-mock-'));
    const refused: string[] = [];
    try {
      const mock = await MockServer.start(await buildStripeMock(folder, env));
      for (const call of [...ofBilling, ...known]) {
        const said = await mock.send(call);
        if (said !== null) refused.push(`${call.route}: ${said}`);
      }
      await mock.close();
    } finally {
      await rm(folder, { recursive: true });
    }
    out(`${ofBilling.length} calls of billing and ${known.length} more sent, ${refused.length} refused\n`);
    for (const line of refused) out(`${line}\n`);
    return refused.length === 0 ? 0 : 1;
  }),
);
