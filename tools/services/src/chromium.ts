import { ensureProgram } from './ensure-program';
import { logToOperator, type OperatorLog } from './operator-log';

/** The address bar of every window is two pages of its own, which are not visible: half a second of a processor for each tab. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** The features that Playwright switches off. Chromium reads one list, and takes ours. */
const OFF_ANYWAY = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PaintHolding'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'ThirdPartyStoragePartitioning', 'AimEnabled'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints', 'PreconnectToSearch'],
  'NetworkTimeServiceQuerying',
];

/** For `launch` of `playwright-core`. A container has no sandbox of its own to give. */
export const CHROMIUM_ARGUMENTS = ['--no-sandbox', `--disable-features=${[...OFF_ANYWAY, ...ADDRESS_BAR].join()}`];

/**
 * A browser for looking at pages as people do; `playwright-core` drives it and downloads none.
 * @returns path of the program
 * @throws CannotStartService with what to do
 */
export function ensureChromium(log: OperatorLog = logToOperator): Promise<string> {
  return ensureProgram({ name: 'chromium', debianPackage: 'chromium', purpose: 'Chromium 123 or newer' }, log);
}
