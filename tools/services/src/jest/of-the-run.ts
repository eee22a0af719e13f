import { join } from 'node:path';
import type { RunningService, ServiceName } from '../backing-services';

/** For `--require`: a child that has a channel to its parent ends with it. */
export const END_WITH_PARENT = join(__dirname, '../../jest/end-with-parent.js');

export const ROOT = join(__dirname, '../../../..');
const FROM_SOURCE = ['--enable-source-maps', '--conditions=@evenkeel/source', '--require', '@swc-node/register'];

/** Jest loads sequencer, set-up and teardown apart from each other: they meet in the process, not in a module. */
export const servicesOfTheRun = process as typeof process & {
  /** Beside PostgreSQL. */
  evenkeelNeededServices?: ServiceName[];
  evenkeelServices?: RunningService[];
};

/**
 * The arguments of node for a program, from its source as by tools/run.sh.
 * @param entry file of the program, from the root folder of a checkout
 */
export function programArguments(entry: string, checkout = ROOT): string[] {
  return [...FROM_SOURCE, join(checkout, entry)];
}
