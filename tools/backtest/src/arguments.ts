import { parseArgs } from 'node:util';
import { isSample, SAMPLES, type Sample } from './samples/samples';

/** The command line cannot be understood, or a file it names cannot be had; the message says which part. */
export class BadUsage extends Error {}

export type Command =
  | { readonly do: 'help' }
  | { readonly do: 'sample'; readonly sample: Sample; readonly seed: number }
  | {
      readonly do: 'backtest';
      readonly file: string;
      readonly seed: number;
      readonly json: boolean;
      /** File for the page. */
      readonly html?: string;
    };

export const HELP = `Says how good our forecasts would have been on your own data: walks through a file day by day, lets each forecast see
only what came before it, and compares it with what came. No data leaves the machine.

  npm run backtest -- <file> [options]
  npm run backtest -- --sample calibrated > calibrated.csv      a file of a known truth, to try it on

Files, known by their content
  Loop Habit Tracker    full backup (.db) or CSV export (.zip)
  habit,date,value      CSV; value 0 to 1, or yes, done, x, skip, no; per_week (1 to 14) as a further column
  our own export        JSON with habits and their logs
  task,time,ok          CSV of the runs of recurring tasks; ok is yes or no, 1 or 0, passed or failed

Options
  --html <file>     writes the report as one page that asks for nothing else
  --json            prints all figures as JSON
  --seed <n>        of the bootstrap and of samples (1)
  --sample <name>   prints a sample: ${Object.keys(SAMPLES).join(', ')}
  --help            this text

Ends with 0 when a report was made, also one that says that there is too little to judge; 1 when the command line is
wrong or a file cannot be opened or written; 2 when nothing of the file can be used.
`;

/**
 * @param args what follows the name of the program
 * @throws BadUsage
 */
export function readArguments(args: string[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help) return { do: 'help' };
  const seed = seedOf(values.seed);
  if (values.sample !== undefined) {
    if (!isSample(values.sample)) throw new BadUsage(`--sample must be one of ${Object.keys(SAMPLES).join(', ')}`);
    return { do: 'sample', sample: values.sample, seed };
  }
  const [file, ...more] = positionals;
  if (file === undefined) throw new BadUsage('Name a file');
  if (more.length > 0) throw new BadUsage('One file at a time');
  return { do: 'backtest', file, seed, json: values.json, html: values.html };
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { html: text, seed: text, sample: text, json: flag, help: flag };
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    // Node adds advice about its own syntax after the first sentence.
    throw new BadUsage((error as Error).message.split('. ')[0]);
  }
}

function seedOf(text = '1'): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  throw new BadUsage('--seed must be an integer from 0 to 2147483647');
}
