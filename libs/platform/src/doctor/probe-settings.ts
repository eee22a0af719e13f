import type { ServiceConfig } from '../config';
import { ok, wrong, type Finding, type Probe } from './finding';

/** Settings that are valid, and wrong in production all the same. */
export function settingsProbe({ NODE_ENV, PUBLIC_BASE_URL, RATE_LIMIT_SCALE }: ServiceConfig): Probe {
  const examine = async (): Promise<Finding[]> => {
    const problems = [
      ...(PUBLIC_BASE_URL?.startsWith('https://')
        ? []
        : [
            'PUBLIC_BASE_URL is no https address: answers would point to where nobody can reach them. Set it to the address of the edge.',
          ]),
      ...(RATE_LIMIT_SCALE === 1 ? [] : ['RATE_LIMIT_SCALE is not 1, which is for load and test runs: remove it.']),
    ];
    if (NODE_ENV !== 'production') return [ok('settings', 'All are valid, outside production.')];
    if (problems.length === 0) return [ok('settings', 'All are valid, for production.')];
    return problems.map((problem) => wrong('settings', problem));
  };
  return { subject: 'settings', settings: 'PUBLIC_BASE_URL', examine };
}
