import { choice, CommandLine, flag, integer, oneArgument } from '@evenkeel/platform/command-line';
import { SAMPLES, type Sample } from './samples/samples';

export type Command =
  | { readonly do: 'sample'; readonly sample: Sample; readonly seed: number }
  | { readonly do: 'backtest'; readonly file: string; readonly seed: number; readonly json: boolean };

const NAMES = Object.keys(SAMPLES) as Sample[];

export const BACKTEST = new CommandLine({
  call: 'npm run backtest',
  about: `Says how good our forecasts would have been on your own data: walks through a file day by day, lets each forecast see
only what came before it, and compares it with what came. No data leaves the machine.`,
  usage: [
    'npm run backtest -- <file> [options]',
    'npm run backtest -- --sample calibrated > calibrated.csv      a file of a known truth, to try it on',
  ],
  parts: {
    'Files, known by their content': `Loop Habit Tracker    full backup (.db) or CSV export (.zip)
habit,date,value      CSV; value 0 to 1, or yes, done, x, skip, no; per_week (1 to 14) as a further column
our own export        JSON with habits and their logs
task,time,ok          CSV of the runs of recurring tasks; ok is yes or no, 1 or 0, passed or failed`,
  },
  options: {
    json: flag('prints all figures as JSON'),
    seed: integer({ help: 'of the bootstrap and of samples', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
    sample: choice({ help: `prints a sample: ${NAMES.join(', ')}`, of: NAMES }),
  },
  ends: `Ends with 0 when a report was made, also one that says that there is too little to judge; 1 when the command line is
wrong or a file cannot be opened; 2 when nothing of the file can be used.`,
  takesArguments: true,
  read: ({ seed, sample, json }, given): Command => {
    if (sample !== undefined) return { do: 'sample', sample, seed };
    const file = oneArgument(given, { missing: 'Name a file', more: 'One file at a time' });
    return { do: 'backtest', file, seed, json };
  },
});
