import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { BadUsage, CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { ensureWallets, PACKAGES } from './ensure-wallets';

const PROGRAMS = join(PACKAGES, '..');

const WALLETS = new CommandLine({
  call: 'npm run wallets',
  about:
    'Lets a published wallet buy a recommendation from a running service, and prints what it got as one line of JSON.',
  usage: ['npm run wallets -- <wallet> [url]     by default http://localhost:8080'],
  parts: {
    Wallets:
      `${wallets().join(', ')}\n\n` +
      'They are installed on first use, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel. Each run makes a new key.',
  },
  options: {},
  takesArguments: true,
  read: (_values, [wallet = '', url = 'http://localhost:8080']) => {
    if (wallets().includes(wallet)) return { wallet, url };
    throw new BadUsage(`There is no wallet ${wallet}: choose from ${wallets().join(', ')}.`);
  },
});

async function buy({ wallet, url }: { wallet: string; url: string }): Promise<number> {
  const program = join(PROGRAMS, 'main.mjs');
  const child = spawn(process.execPath, [program, wallet, await ensureWallets(), url], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number];
  return code;
}

function wallets(): string[] {
  return readdirSync(join(PROGRAMS, 'wallets')).map((file) => parse(file).name);
}

startCommand(process.env, (args, _env, streams) => runCommand(WALLETS, args, streams, buy));
