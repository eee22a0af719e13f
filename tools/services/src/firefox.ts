import { ensureProgram } from './ensure-program';
import { logToOperator, type OperatorLog } from './operator-log';

/** For `launch` of `playwright-core`: it drives Firefox as its makers publish it, by WebDriver BiDi. */
export const FIREFOX_CHANNEL = 'moz-firefox';

/**
 * The other browser for looking at pages as people do.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureFirefox(log: OperatorLog = logToOperator): Promise<string> {
  return ensureProgram({ name: 'firefox-esr', debianPackage: 'firefox-esr', purpose: 'Firefox 140 or newer' }, log);
}
