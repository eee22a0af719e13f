import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, flag, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import { expectAnswers, readGiven } from '../install/given';
import { CLIENTS, copySources, type GeneratedClient } from './generated-clients';
import { paidCall } from './paid-call';

interface Wanted {
  seller: string;
  clients: readonly GeneratedClient[];
  keep: boolean;
}

const CHECK = new CommandLine({
  call: 'npm run clients:check',
  about: `Lets generators make clients of the /openapi.json of a running service, compiles them, and makes a paid call with each.`,
  usage: ['npm run clients:check [-- <language> …] [<address>]      by default all, at http://localhost:8080'],
  parts: { Languages: CLIENTS.map(({ name, generator }) => `${name.padEnd(12)}${generator}`).join('\n') },
  options: { keep: flag('leaves the generated sources, and says where') },
  takesArguments: true,
  ends: 'Ends with 0 when all have bought, 1 when one has not.',
  read: ({ keep }, given): Wanted => {
    const known = CLIENTS.map(({ name }) => name);
    const { names, seller } = readGiven(given, known);
    return { seller, keep, clients: CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name)) };
  },
});

async function check(
  { seller, clients, keep }: Wanted,
  env: NodeJS.ProcessEnv,
  { out, err }: Streams,
): Promise<number> {
  await expectAnswers(seller);
  const document = await (await fetch(`${seller}/openapi.json`)).text();
  const failed: string[] = [];
  for (const { name, make } of clients) {
    const work = mkdtempSync(join(tmpdir(), `evenkeel-${name}-`));
    try {
      copySources(name, work);
      writeFileSync(join(work, 'openapi.json'), document);
      const command = await make(work, env, (line) => err(`${line}\n`));
      out(`${name.padEnd(12)}generated, compiled, and bought: ${await paidCall(command, seller)}\n`);
    } catch (error) {
      failed.push(name);
      err(`${name}: ${(error as Error).message}\n`);
    } finally {
      if (keep) err(`${name}: ${work}\n`);
      else rmSync(work, { recursive: true, force: true });
    }
  }
  if (failed.length > 0) err(`Not bought: ${failed.join(', ')}.\n`);
  return failed.length > 0 ? 1 : 0;
}

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, (wanted, safe) => check(wanted, env, safe)),
);
