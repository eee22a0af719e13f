import type { Readiness } from '@evenkeel/platform/http';
import type { RunningApps } from './running-app';

/** The process is ready when all of its apps are; each check says whose it is. */
export function allReady(apps: RunningApps): Readiness {
  return async () => {
    const answers = Object.entries(apps).map(async ([name, { readiness }]) =>
      Object.entries(await readiness()).map(([check, isThere]) => [`${name}.${check}`, isThere] as const),
    );
    return Object.fromEntries((await Promise.all(answers)).flat());
  };
}
