import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClusterState } from './control/state';
import { ROOT } from './processes/build';

/**
 * Runs the journeys of apps/standalone against a cluster, with their output on the terminal.
 * @returns the exit code of Jest
 */
export async function runJourneys(state: ClusterState, shell: NodeJS.ProcessEnv): Promise<number> {
  const env = {
    ...shell,
    JOURNEYS_URL: state.url,
    JOURNEYS_FACILITATOR_URL: state.facilitatorUrl,
    JOURNEYS_STRIPE_URL: state.stripeUrl,
    JOURNEYS_ADMIN_TOKEN: state.adminToken,
    // They look into no database; with one of their own, Jest would start a server for it.
    DATABASE_URL: Object.values(state.databases)[0]!,
  };
  const args = ['apps/standalone/src/journeys', '--maxWorkers=1'];
  const jest = spawn(join(ROOT, 'node_modules/.bin/jest'), args, { cwd: ROOT, env, stdio: 'inherit' });
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}
