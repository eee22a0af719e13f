import type { Environment } from '@evenkeel/platform/config';
import { BadUsage } from '../bad-usage';
import { openModule } from '../open-module';
import { withoutSecrets, type Streams } from '../streams';
import { Reconcile } from './reconcile';
import { readReconcileArguments, RECONCILE_HELP, type ReconcileArguments } from './reconcile-arguments';
import { ReconciliationModule } from './reconciliation.module';
import { differencesIn, isComplete } from './report';
import { reportText } from './report-text';

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 not compared, or not to the end */
export async function run(args: string[], env: Environment, streams: Streams): Promise<0 | 1 | 2> {
  const { out, err } = withoutSecrets(streams);
  try {
    const wanted = readReconcileArguments(args);
    if (wanted !== 'help') return await reconcile(wanted, env, { out, err });
    out(RECONCILE_HELP);
    return 0;
  } catch (error) {
    const hint = error instanceof BadUsage ? 'See npm run reconcile -- --help\n' : '';
    err(`${(error as Error).message}\n${hint}`);
    return 2;
  }
}

async function reconcile(wanted: ReconcileArguments, env: Environment, { out, err }: Streams): Promise<0 | 1 | 2> {
  const { since, until, withinSeconds, json } = wanted;
  const deadline = performance.now() + withinSeconds * 1_000;
  const app = await openModule(ReconciliationModule, env);
  try {
    const report = await app.get(Reconcile).execute({
      since,
      until,
      isLate: () => performance.now() >= deadline,
      report: (line) => err(`${line}\n`),
    });
    out(json ? `${JSON.stringify({ ...report, complete: isComplete(report) }, null, 2)}\n` : reportText(report));
    if (differencesIn(report) > 0) return 1;
    return isComplete(report) ? 0 : 2;
  } finally {
    await app.close();
  }
}
