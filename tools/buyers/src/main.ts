import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import { fetchedPackages, type OperatorLog } from '@evenkeel/services';
import { CLIENTS, generateAndBuy } from './generated-clients';
import { PROGRAMS, purchase } from './programs';

/** Somebody who can buy from a running service. */
interface Buyer {
  name: string;
  /** For the help. */
  note?: string;
  /** A compiler works for minutes when it comes first: bought with when it is named, or all are asked for. */
  isCompiled?: boolean;
  /** @returns what it has bought, for people */
  buy: (seller: string, env: NodeJS.ProcessEnv, log: OperatorLog) => Promise<string>;
}

const WALLETS = ['agents', 'inspector', 'mcpay', 'mcpc', 'mppx', 'x402-mcp'];
const WALLET_PROGRAM = join(__dirname, '../wallets/main.mjs');

const COMMANDS: Record<string, { about: string; buyers: readonly Buyer[] }> = {
  buyers: {
    about: `Lets the programs of docs/buy buy from a running service: each asks, pays, checks its receipt, repeats its request and asks
whether it was charged.`,
    buyers: PROGRAMS.map(({ name, isCompiled, prepare }) => ({
      name,
      note: isCompiled ? 'compiled: minutes, once; when it is named, or with --all' : '',
      isCompiled,
      buy: async (seller, env, log) => {
        const steps = Object.entries(await purchase(await prepare(env, log), seller));
        return steps.map(([step, text]) => `\n  ${step.padEnd(9)}${text}`).join('');
      },
    })),
  },
  'clients:check': {
    about: `Lets generators make clients of the /openapi.json of a running service, compiles them, and makes a paid call with each.`,
    buyers: CLIENTS.map((client) => ({
      name: client.name,
      note: client.generator,
      buy: async (seller, env, log) =>
        `generated, compiled, and bought: ${await generateAndBuy(client, seller, env, log)}`,
    })),
  },
  wallets: {
    about: `Lets published wallets buy a recommendation from a running service, and prints what each got as one line of JSON. Each run
makes a new key.`,
    buyers: WALLETS.map((name) => ({
      name,
      buy: async (seller, env) => {
        const args = [WALLET_PROGRAM, name, await fetchedPackages('tools/buyers/wallets/packages'), seller];
        return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
      },
    })),
  },
};

const commandOf = (command: string, about: string, buyers: readonly Buyer[]) =>
  new Command(`npm run ${command} --`)
    .description(about)
    .argument('[words...]', 'names of buyers, and the address of the service: http://localhost:8080 by default')
    .option('--all', 'all of them', false)
    .addHelpText(
      'after',
      `
Buyers:
${buyers.map(({ name, note = '' }) => `  ${name.padEnd(12)}${note}`.trimEnd()).join('\n')}

What they need is installed on first use, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel.
Ends with 0 when all have bought, 1 when one has not.`,
    );

/** @throws InvalidArgumentError */
function wantedOf(buyers: readonly Buyer[], all: boolean, words: readonly string[]) {
  const [names, addresses] = [false, true].map((isUrl) => words.filter((one) => one.includes('://') === isUrl));
  const unknown = names!.find((name) => !buyers.some((buyer) => buyer.name === name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is none of ${buyers.map(({ name }) => name).join(', ')}`);
  if (addresses!.length > 1) throw new InvalidArgumentError('one address is enough');
  const isWanted = ({ name, isCompiled = false }: Buyer) =>
    all || (names!.length > 0 ? names!.includes(name) : !isCompiled);
  const [seller = 'http://localhost:8080'] = addresses!;
  return { wanted: buyers.filter(isWanted), seller: seller.replace(/\/$/, '') };
}

/** Lets one after the other buy. @throws Error when no service answers there */
async function letBuy(buyers: readonly Buyer[], seller: string, env: NodeJS.ProcessEnv, { out, err }: Streams) {
  await fetch(`${seller}/health`).catch(() => {
    throw new Error(`Nobody answers at ${seller}. Start the service with "npm start", or name another address.`);
  });
  const failed: string[] = [];
  for (const { name, buy } of buyers) {
    await buy(seller, env, (line) => err(`${line}\n`)).then(
      (bought) => out(`${name.padEnd(12)}${bought}\n`),
      (error: Error) => failed.push(`${name}: ${error.message}`),
    );
  }
  for (const reason of failed) err(`Not bought, ${reason}\n`);
  return failed.length === 0 ? 0 : 1;
}

startCommand(process.env, ([command = '', ...args], env, streams) => {
  const { about, buyers } = COMMANDS[command]!;
  return runCommand(commandOf(command, about, buyers), args, streams, ({ all, args: [words] }, safe) => {
    const { wanted, seller } = wantedOf(buyers, all, words);
    return letBuy(wanted, seller, env, safe);
  });
});
