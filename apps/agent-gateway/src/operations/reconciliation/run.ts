import {
  Command,
  InvalidArgumentError,
  integerOption,
  Option,
  readInstant,
  runCommand,
  withModule,
  type Streams,
  type TypedFor,
} from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { operatorModule } from '../operator-module';
import { Reconcile } from './reconcile';
import { ReconciliationModule } from './reconciliation.module';
import { differencesIn, isComplete, reportText } from './report';

const RECONCILE = new Command('npm run reconcile --')
  .description(
    `Compares the ledger with its outbox, with the transfers that the chain shows, and with the facilitator's own list where
it has one; lists payments that need a person, and what to do about each. It reads only: it moves no money and changes
no row. Safe at any time, beside running replicas.`,
  )
  .addOption(
    new Option('--since <instant>', 'from here; by default RECONCILE_LOOK_BACK_HOURS before the end').argParser(
      instant,
    ),
  )
  .addOption(
    new Option(
      '--until <instant>',
      'up to here; by default a quarter of an hour ago: what is younger may still be settled by the worker',
    ).argParser(instant),
  )
  .addOption(integerOption('--within <seconds>', 'stop after this time and say how to go on', 1, 999_999).default(600))
  .option('--json', 'the whole report as JSON on standard output; progress goes to standard error', false)
  .addHelpText(
    'after',
    `
Environment:
  DATABASE_URL            ledger of the gateway
  X402_PAY_TO             who is paid
  X402_RPC_URL            the chain; without it open payments are listed, and what became of them is for an explorer to say
  FACILITATOR_LEDGER_URL  the facilitator's own list of settlements

The environment is the same as for the worker. A local run (npm start) writes it down while it runs:
  set -a; . .data/agent-gateway.env; npm run reconcile

Ends with 0 when everything agrees and nobody is needed, 1 when there is a difference or a payment that needs a person,
2 when it could not compare, or not to the end.`,
  );

function instant(typed: string): Date {
  const at = readInstant(typed);
  if (at) return at;
  throw new InvalidArgumentError('It must be an instant such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.');
}

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 not compared, or not to the end */
export function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const work = async (
    { since, until, within, json }: TypedFor<typeof RECONCILE>,
    { out, err }: Streams,
  ): Promise<0 | 1 | 2> => {
    const deadline = performance.now() + within * 1_000;
    const isLate = () => performance.now() >= deadline;
    const period = { since, until, isLate, report: (line: string) => err(`${line}\n`) };
    const module = operatorModule(ReconciliationModule, env);
    const report = await withModule(module, (app) => app.get(Reconcile).execute(period));
    out(json ? `${JSON.stringify({ ...report, complete: isComplete(report) }, null, 2)}\n` : reportText(report));
    if (differencesIn(report).length > 0) return 1;
    return isComplete(report) ? 0 : 2;
  };
  return runCommand(RECONCILE, args, streams, work, { badUsage: 2, failed: 2 });
}
