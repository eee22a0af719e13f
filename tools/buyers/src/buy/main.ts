import { CommandLine, flag, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { eachBuys, readGiven } from '../install/given';
import { PROGRAMS, type BuyingProgram } from './programs';
import { purchase } from './purchase';

const BUYERS = new CommandLine({
  call: 'npm run buyers',
  about: `Lets the programs of docs/buy buy from a running service: each asks, pays, checks its receipt, repeats its request and asks
whether it was charged.`,
  usage: [
    'npm run buyers [-- <language> …] [<address>]      by default typescript, python and curl, at http://localhost:8080',
  ],
  parts: {
    Languages: PROGRAMS.map(({ name, isCompiled }) => `${name}${isCompiled ? ' (compiled: minutes, once)' : ''}`).join(
      '\n',
    ),
  },
  options: { all: flag('every language') },
  takesArguments: true,
  ends: `What they need is installed on first use, into ~/.cache/evenkeel or $XDG_CACHE_HOME/evenkeel.
Ends with 0 when all have bought, 1 when one has not.`,
  read: ({ all }, given) => {
    const known = PROGRAMS.map(({ name }) => name);
    const { names, seller } = readGiven(given, known);
    const wanted = ({ name, isCompiled }: BuyingProgram) =>
      all || (names.length > 0 ? names.includes(name) : !isCompiled);
    return { seller, programs: PROGRAMS.filter(wanted) };
  },
});

startCommand(process.env, (args, env, streams) =>
  runCommand(BUYERS, args, streams, ({ seller, programs }, safe) =>
    eachBuys(programs, seller, safe, async ({ name, prepare }, log) => {
      const steps = Object.entries(await purchase(await prepare(env, log), seller));
      safe.out(`${name}\n${steps.map(([step, text]) => `  ${step.padEnd(9)}${text}\n`).join('')}`);
    }),
  ),
);
