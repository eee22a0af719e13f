import { join } from 'node:path';
import type { RunningService, ServiceName } from '../backing-services';
import { RUN_PROGRAM } from '../../programs/kept';

/** Names the file of compiled programs for the suites of a run. */
export const COMPILED_PROGRAMS = 'TEST_PROGRAMS';

/** For `--require`: a child that has a channel to its parent ends with it. */
export const END_WITH_PARENT = join(__dirname, '../../jest/end-with-parent.js');

export const ROOT = join(__dirname, '../../../..');
const FROM_SOURCE = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];

/** Jest loads sequencer, set-up and teardown apart from each other: they meet in the process, not in a module. */
export const servicesOfTheRun = process as typeof process & {
  /** Beside PostgreSQL. */
  evenkeelNeededServices?: ServiceName[];
  /** A suite of this run starts programs. */
  evenkeelStartsPrograms?: boolean;
  evenkeelServices?: RunningService[];
};

/**
 * The arguments of node for a program: the one that was compiled for this run, else the source.
 * @param entry file of the program, from the root folder
 */
export function programArguments(entry: string): string[] {
  const compiled = process.env[COMPILED_PROGRAMS];
  return compiled ? [RUN_PROGRAM, compiled, entry] : [...FROM_SOURCE, join(ROOT, entry)];
}
