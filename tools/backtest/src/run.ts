import { readFileSync, statSync } from 'node:fs';
import { UnreadableFile } from '@evenkeel/habit-files';
import {
  Command,
  InvalidArgumentError,
  integerOption,
  Option,
  runCommand,
  type Streams,
} from '@evenkeel/platform/command-line';
import { backtestOf } from './backtest';
import { readFile, Rejects } from './read-file';
import { LIMITS } from './read-tasks';
import { rejectText, reportText } from './report-text';
import { calibratedTasks } from './walk-task';

const BACKTEST = new Command('npm run backtest --')
  .description(
    `Says how good our forecasts would have been on your own data: walks through a file day by day, lets each forecast see
only what came before it, and compares it with what came. No data leaves the machine.`,
  )
  .argument('[file]', 'what it walks through, known by its content; not with --sample')
  .option('--json', 'prints all figures as JSON', false)
  .addOption(integerOption('--seed <n>', 'of the bootstrap and of samples', 0, 2 ** 31 - 1).default(1))
  .addOption(new Option('--sample <name>', 'prints a sample of a known truth').choices(['calibrated']))
  .addHelpText(
    'after',
    `
Files:
  Loop Habit Tracker    full backup (.db) or CSV export (.zip)
  habit,date,value      CSV; value 0 to 1, or yes, done, x, skip, no; per_week (1 to 14) as a further column
  our own export        JSON with habits and their logs
  task,time,ok          CSV of the runs of recurring tasks; ok is yes or no, 1 or 0, passed or failed

To try it: npm run backtest -- --sample calibrated > calibrated.csv

Ends with 0 when a report was made, also one that says that there is too little to judge; 1 when the command line is
wrong or a file cannot be opened; 2 when nothing of the file can be used.`,
  );

/**
 * The command line.
 * @param now in milliseconds: entries of later days are refused
 * @returns the exit code, as the help explains it
 */
export function run(args: string[], now: number, streams: Streams): Promise<number> {
  return runCommand(
    BACKTEST,
    args,
    streams,
    async ({ sample, seed, json, args: [file] }, { out, err }): Promise<0 | 2> => {
      const rejects = new Rejects();
      try {
        if (sample !== undefined) {
          out(calibratedTasks(seed));
          return 0;
        }
        if (file === undefined) throw new InvalidArgumentError('Name a file');
        const walkable = await readFile(bytesOf(file), Math.floor(now / 86_400_000), rejects);
        const backtest = backtestOf(walkable, rejects, seed);
        out(json ? `${JSON.stringify(backtest, null, 2)}\n` : reportText(backtest));
        return 0;
      } catch (error) {
        if (!(error instanceof UnreadableFile)) throw error;
        const left = rejectText(rejects);
        err(`${error.message}\n${left === '' ? '' : `${left}\n`}`);
        return 2;
      }
    },
    { badUsage: 1, failed: 1 },
  );
}

function bytesOf(file: string): Uint8Array {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new InvalidArgumentError(`${file} is not a file`);
  if (stats.size > LIMITS.fileBytes) {
    throw new UnreadableFile('file_too_large', `The file is larger than ${LIMITS.fileBytes / 2 ** 20} MiB.`);
  }
  return readFileSync(file);
}
