import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import {
  Command,
  InvalidArgumentError,
  integerOption,
  Option,
  runCommand,
  startCommand,
} from '@evenkeel/platform/command-line';
import { type Figures, report } from './report';
import { START } from './sellers/open-sellers';
import { benchAccounts } from './stages/accounts';
import { benchEngine } from './stages/engine';
import { benchChainSpeed, benchPaid } from './stages/paid';
import { benchEvents, benchReads } from './stages/reporting';

const PARTS = ['engine', '402', 'paid', 'chain', 'accounts', 'reporting'] as const;
/** Processes that wait for each core. */
const BUSY = 0.25;

const BENCH = new Command('npm run bench --')
  .description(
    `Measures the scoring engine; the paid call and the 402 of the whole product and of the gateway alone beside the x402 middleware
for Express; paid calls with a facilitator that takes 2 s to settle; what people ask of accounts, and operators of reporting.
Everything runs on this machine, on loopback, and is stopped again. About fifteen minutes; bench/README.md says how to read it.`,
  )
  .addOption(
    new Option('--only <parts...>', 'may be given more than once').choices(PARTS).default(PARTS, 'all of them'),
  )
  .addOption(integerOption('--rounds <n>', 'of 402, paid and the reads of reporting', 1, 50).default(5))
  .addOption(integerOption('--payments <n>', 'in the database of reporting', 10_000, 100_000_000).default(1_000_000))
  .addOption(
    new Option('--beside <folder>', 'another checkout, installed, whose product takes turns with ours').argParser(
      (folder) => {
        if (existsSync(resolve(folder, START))) return resolve(folder);
        throw new InvalidArgumentError(`There is no ${START}.`);
      },
    ),
  )
  .addHelpText('after', '\nExit code: 0, or 1 when a goal was missed by more than a tenth or a part failed.');

startCommand(process.env, (args, _env, streams) =>
  runCommand(BENCH, args, streams, async ({ only: parts, rounds, payments, beside }) => {
    const busy = loadavg()[0]! / availableParallelism() > BUSY;
    const paths = (['402', 'paid'] as const).filter((path) => parts.includes(path));
    const figures: Figures = {
      ...(parts.includes('engine') && (await benchEngine())),
      ...(paths.length > 0 && (await benchPaid(paths, rounds, beside))),
      ...(parts.includes('chain') && (await benchChainSpeed())),
      ...(parts.includes('accounts') && (await benchAccounts())),
      ...(parts.includes('reporting') && { ...(await benchReads(payments, rounds)), ...(await benchEvents()) }),
    };
    return report(figures, busy) ? 0 : 1;
  }),
);
