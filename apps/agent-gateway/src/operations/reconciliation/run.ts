import { parseArgs } from 'node:util';
import type { Environment } from '@evenkeel/platform/config';
import { BadUsage } from '../bad-usage';
import { openModule } from '../open-module';
import { withoutSecrets, type Streams } from '../streams';
import { Reconcile } from './reconcile';
import { ReconciliationModule } from './reconciliation.module';
import { differencesIn, isComplete, reportText } from './report';

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

interface ReconcileArguments {
  since?: Date;
  until?: Date;
  withinSeconds: number;
  json: boolean;
}

const RECONCILE_HELP = `Compares the ledger with its outbox, with the transfers that the chain shows, and with the facilitator's own list where
it has one; lists payments that need a person, and what to do about each. It reads only: it moves no money and changes
no row. Safe at any time, beside running replicas.

  npm run reconcile -- [options]

Options
  --since <instant>    from here (RECONCILE_LOOK_BACK_HOURS before the end)
  --until <instant>    up to here (a quarter of an hour ago: what is younger may still be put right by the worker)
  --within <seconds>   stop after this time and say how to go on (600)
  --json               the whole report as JSON on standard output; progress goes to standard error
  --help               this text

Environment, the same as for the worker
  DATABASE_URL              ledger of the gateway
  X402_PAY_TO               who is paid
  X402_RPC_URL              the chain; without it open payments are only asked about at FACILITATOR_URL, by a verify
  FACILITATOR_LEDGER_URL    the facilitator's own list of settlements

A local run (npm start) writes them down while it runs:  set -a; . .data/agent-gateway.env; npm run reconcile

Ends with 0 when everything agrees and nobody is needed, 1 when there is a difference or a payment that needs a person,
2 when it could not compare, or not to the end.
`;

/** @returns `help` when the text was asked for @throws BadUsage */
function readReconcileArguments(args: string[]): ReconcileArguments | 'help' {
  const { help, since, until, within = '600', json = false } = parse(args);
  if (help) return 'help';
  const withinSeconds = Number(within);
  if (!/^\d{1,6}$/.test(within) || withinSeconds < 1) throw new BadUsage('--within must be a number of seconds');
  return { since: instant('--since', since), until: instant('--until', until), withinSeconds, json };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({ args, options: { since: text, until: text, within: text, json: flag, help: flag } }).values;
  } catch (error) {
    // Node adds advice about its own syntax after the first sentence.
    throw new BadUsage((error as Error).message.split('. ')[0]);
  }
}

function instant(option: string, value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  const at = new Date(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(at.getTime())) {
    throw new BadUsage(`${option} must be an instant such as 2026-01-31T12:00:00Z`);
  }
  return at;
}
