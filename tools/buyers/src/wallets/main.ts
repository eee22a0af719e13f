import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchedPackages } from '@evenkeel/services';

const PROGRAMS = join(__dirname, '../../wallets');

const HELP = `Lets a published wallet buy a recommendation from a running service, and prints what it got as one line of JSON.

Usage
  npm run wallets -- <wallet> [url]     by default http://localhost:8080

Wallets
  ${wallets().join(', ')}

They are installed on first use, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel. Each run makes a new key.

Options
  --help             this text
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  const [wallet = '', url = 'http://localhost:8080'] = positionals;
  if (values.help) return void process.stdout.write(HELP);
  if (!wallets().includes(wallet))
    throw new Error(`There is no wallet ${wallet}: choose from ${wallets().join(', ')}.`);

  const program = join(PROGRAMS, 'main.mjs');
  const child = spawn(
    process.execPath,
    [program, wallet, await fetchedPackages('tools/buyers/wallets/packages'), url],
    {
      stdio: 'inherit',
    },
  );
  [process.exitCode] = (await once(child, 'exit')) as [number];
}

function wallets(): string[] {
  return readdirSync(join(PROGRAMS, 'published')).map((file) => parse(file).name);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
