import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import {
  BadUsage,
  choices,
  CommandLine,
  integer,
  runCommand,
  startCommand,
  text,
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

const BENCH = new CommandLine({
  call: 'npm run bench',
  about: `Measures the scoring engine; the paid call and the 402 of the whole product and of the gateway alone beside the x402 middleware
for Express; paid calls with a facilitator that takes 2 s to settle; what people ask of accounts, and operators of reporting.
Everything runs on this machine, on loopback, and is stopped again. About fifteen minutes; bench/README.md says how to read it.`,
  options: {
    only: choices({ help: `${PARTS.join(', ')}; may be given more than once`, placeholder: 'part', of: PARTS }),
    rounds: integer({ help: 'of 402, paid and the reads of reporting', from: 1, to: 50, fallback: 5 }),
    payments: integer({ help: 'in the database of reporting', from: 10_000, to: 100_000_000, fallback: 1_000_000 }),
    beside: text({ help: 'another checkout, installed, whose product takes turns with ours', placeholder: 'folder' }),
  },
  ends: 'Exit code: 0, or 1 when a goal was missed by more than a tenth or a part failed.',
  read: ({ only: parts = PARTS, beside, ...rest }) => {
    if (beside !== undefined && !existsSync(resolve(beside, START))) {
      throw new BadUsage(`--beside ${beside}: there is no ${START}`);
    }
    return { ...rest, parts, beside: beside && resolve(beside) };
  },
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(BENCH, args, streams, async ({ parts, rounds, payments, beside }) => {
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
