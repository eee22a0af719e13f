import { Command, runCommand, withModule, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { operatorModule } from '../service';
import { isWhole, reportText } from './difference';
import { Reconcile, ReconciliationModule } from './reconcile';

const RECONCILE = new Command('npm run billing:reconcile --')
  .description(
    `Compares billing with the payment provider: every subscription that has not ended, the customers and paid invoices of
three days, and the prices of the catalogue; lists events that belong to nobody, users who pay twice, and who has left
and is still known there. Events of three days that have not come are applied, and a subscription that differs becomes what
the provider says. What cannot be compared hides nothing else. It changes nothing at the provider. A plan
whose price differs there cannot be bought until a later run finds it equal. Safe at any time, beside running replicas;
the worker does the same every night.`,
  )
  .option('--json', 'the whole report as JSON on standard output', false)
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_URL       database of billing
  STRIPE_SECRET_KEY  the key of the worker, with STRIPE_PRICE_MONTHLY, STRIPE_PRICE_YEARLY and the prices in cents

A line for each thing: kind, id, what differs. docs/operations/subscriptions.md says what to do.

Ends with 0 when everything agrees, 1 when a person must look at something, 2 when something could not be
compared: the line not_compared says why.`,
  );

/**
 * The command line of the reconciliation.
 * @returns the exit code
 */
export function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const work = ({ json }: { json: boolean }, { out }: Streams): Promise<0 | 1 | 2> =>
    withModule(operatorModule(env, ReconciliationModule), async (app) => {
      const report = await app.get(Reconcile).execute();
      out(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
      if (!isWhole(report)) return 2;
      return report.differences.length === 0 ? 0 : 1;
    });
  return runCommand(RECONCILE, args, streams, work, { badUsage: 2, failed: 2 });
}
