import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { eachBuys, readGiven } from '../install/given';
import { CLIENTS, copySources } from './generated-clients';
import { paidCall } from './paid-call';

const CHECK = new CommandLine({
  call: 'npm run clients:check',
  about: `Lets generators make clients of the /openapi.json of a running service, compiles them, and makes a paid call with each.`,
  usage: ['npm run clients:check [-- <language> …] [<address>]      by default all, at http://localhost:8080'],
  parts: { Languages: CLIENTS.map(({ name, generator }) => `${name.padEnd(12)}${generator}`).join('\n') },
  options: {},
  takesArguments: true,
  ends: 'Ends with 0 when all have bought, 1 when one has not.',
  read: (_options, given) => {
    const known = CLIENTS.map(({ name }) => name);
    const { names, seller } = readGiven(given, known);
    return { seller, clients: CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name)) };
  },
});

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, ({ seller, clients }, safe) =>
    eachBuys(clients, seller, safe, async ({ name, make }, log) => {
      const work = mkdtempSync(join(tmpdir(), `evenkeel-${name}-`));
      try {
        copySources(name, work);
        writeFileSync(join(work, 'openapi.json'), await (await fetch(`${seller}/openapi.json`)).text());
        safe.out(
          `${name.padEnd(12)}generated, compiled, and bought: ${await paidCall(await make(work, env, log), seller)}\n`,
        );
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    }),
  ),
);
