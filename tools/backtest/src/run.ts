import { readFileSync, statSync } from 'node:fs';
import { BadUsage, runCommand, type Streams } from '@evenkeel/platform/command-line';
import { BACKTEST, type Command } from './arguments';
import { backtestOf } from './figures/backtest';
import { UnreadableFile } from '@evenkeel/habit-files';
import { LIMITS } from './reading/limits';
import { readFile, Rejects } from './reading/read-file';
import { SAMPLES } from './samples/samples';
import { rejectText, reportText } from './report/report-text';
import { walk } from './forecasts/walk';

export interface BacktestStreams extends Streams {
  /** Called often, with what is being worked on. */
  readonly progress: (doing: string) => void;
}

/**
 * The command line.
 * @param now in milliseconds: entries of later days are refused
 * @returns the exit code, as the help explains it
 */
export function run(args: string[], now: number, { progress, ...streams }: BacktestStreams): Promise<number> {
  const work = async (command: Command, { out, err }: Streams): Promise<0 | 2> => {
    const rejects = new Rejects();
    try {
      if (command.do === 'sample') out(SAMPLES[command.sample](command.seed).csv);
      else await report(command, Math.floor(now / 86_400_000), rejects, { out, err, progress });
      return 0;
    } catch (error) {
      progress('');
      if (!(error instanceof UnreadableFile)) throw error;
      const left = rejectText({ rejects });
      err(`${error.message}\n${left === '' ? '' : `${left}\n`}`);
      return 2;
    }
  };
  return runCommand(BACKTEST, args, streams, work, { badUsage: 1, failed: 1 });
}

async function report(
  { file, seed, json }: Extract<Command, { do: 'backtest' }>,
  today: number,
  rejects: Rejects,
  { out, progress }: BacktestStreams,
): Promise<void> {
  progress('reading');
  const walkable = await readFile(bytesOf(file), { rejects, today });
  const forecasts = walk(walkable, (done, of) => progress(`walking through ${done + 1} of ${of} ${walkable.subject}`));
  const backtest = backtestOf(walkable, forecasts, rejects, seed, progress);
  progress('');
  out(json ? `${JSON.stringify(backtest, null, 2)}\n` : reportText(backtest));
}

function bytesOf(file: string): Uint8Array {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new BadUsage(`${file} is not a file`);
    if (stats.size > LIMITS.fileBytes)
      throw new UnreadableFile('file_too_large', `The file is larger than ${LIMITS.fileBytes / 2 ** 20} MiB.`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof BadUsage) throw error;
    throw new BadUsage(`The file cannot be opened (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
