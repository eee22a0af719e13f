import { ensureProgram } from './ensure-program';
import { logToOperator, type OperatorLog } from './operator-log';

/**
 * A browser for looking at pages as people do; `playwright-core` drives it and downloads none.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureChromium(log: OperatorLog = logToOperator): Promise<string> {
  return ensureProgram({ name: 'chromium', debianPackage: 'chromium', purpose: 'Chromium 123 or newer' }, log);
}
