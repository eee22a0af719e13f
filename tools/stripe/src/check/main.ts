import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { buildStripeMock, hasGo } from '../schema/stripe-mock-module';
import { MockServer } from './mock-server';
import { recordCalls } from './recorded-calls';

const CHECK = new CommandLine({
  call: 'npm run stripe:check',
  about: `Sends every call that the development Stripe knows to stripe-mock, Stripe's own server for tests, which checks
parameters against the schemas. It builds that server, so it needs a Go compiler.`,
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
    const calls = (await recordCalls()).filter(({ status }) => status === 200);
    const folder = await mkdtemp(join(tmpdir(), 'stripe-mock-'));
    const refused: string[] = [];
    try {
      const mock = await MockServer.start(await buildStripeMock(folder, env));
      for (const { route, request } of calls) {
        const said = await mock.send(request);
        if (said !== null) refused.push(`${route}: ${said}`);
      }
      await mock.close();
    } finally {
      await rm(folder, { recursive: true });
    }
    out(`${calls.length} calls sent, ${refused.length} refused\n${refused.map((line) => `${line}\n`).join('')}`);
    return refused.length === 0 ? 0 : 1;
  }),
);
