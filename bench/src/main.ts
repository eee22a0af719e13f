import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { SystemClock } from '@evenkeel/kernel';
import {
  BadUsage,
  choices,
  CommandLine,
  integer,
  runCommand,
  startCommand,
  text,
} from '@evenkeel/platform/command-line';
import { START } from '@evenkeel/services/programs';
import { type Figures, rounded, table } from './figures';
import { checkGoals } from './goals';
import { benchAccounts } from './stages/accounts';
import { benchChainSpeed } from './stages/chain-speed';
import { benchEngine } from './stages/engine';
import { benchEvents } from './stages/events';
import { benchPaid } from './stages/paid';
import { benchReads } from './stages/reporting';

const FOLDER = join(__dirname, '../out');
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
    const checkout = beside === undefined ? undefined : resolve(beside);
    if (checkout !== undefined && !existsSync(resolve(checkout, START))) {
      throw new BadUsage(`--beside ${beside}: there is no ${START}`);
    }
    return { ...rest, parts, beside: checkout };
  },
});

type BenchOptions = Exclude<ReturnType<typeof BENCH.parse>, 'help'>;

/** @returns the exit code */
async function measure(options: BenchOptions): Promise<number> {
  const busy = loadavg()[0]! / availableParallelism() > BUSY;
  const figures = await measureParts(options);
  const goals = checkGoals(figures);
  const lines = Object.entries(figures).map(([name, value]) => [name, Number.isNaN(value) ? '-' : rounded(value)]);
  const goalLines = goals.map(({ goal, measured, floor, better, verdict }) => {
    return [goal, rounded(measured), `${better === 'higher' ? '>=' : '<='} ${rounded(floor)}`, verdict];
  });
  console.log(`\n${table(['figure', 'measured'], lines)}\n\n${table(['goal', 'measured', 'floor', ''], goalLines)}\n`);
  if (busy) console.log('The machine was busy before the run: the figures mean little.');

  const machine = { cores: availableParallelism(), node: process.version, busy };
  const report = { measuredAt: new SystemClock().now().toISOString(), machine, figures, goals };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  console.log('written: bench/out/report.json');
  return goals.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}

async function measureParts({ parts, rounds, payments, beside }: BenchOptions): Promise<Figures> {
  const paths = (['402', 'paid'] as const).filter((path) => parts.includes(path));
  return {
    ...(parts.includes('engine') && (await benchEngine())),
    ...(paths.length > 0 && (await benchPaid({ paths, rounds, beside }))),
    ...(parts.includes('chain') && (await benchChainSpeed())),
    ...(parts.includes('accounts') && (await benchAccounts())),
    ...(parts.includes('reporting') && { ...(await benchReads(payments, rounds)), ...(await benchEvents()) }),
  };
}

startCommand(process.env, (args, _env, streams) => runCommand(BENCH, args, streams, measure));
