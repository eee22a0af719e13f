import { Program } from '@evenkeel/services/programs';
import { different, type Cluster } from '../cluster';

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null;
  output: string;
}

/** The output of `npm run reconcile -- --json`. */
export interface LedgerReport {
  complete: boolean;
  comparisons: { with: string; matched: number; oursOnly: Missing[]; theirsOnly: Missing[] }[];
  needPerson: Missing[];
}

interface Missing {
  nonce: string | null;
  remedy: string;
}

/** The commands of operators, as npm has them, on the settings of a cluster. */
export class OperatorCommands {
  constructor(private readonly cluster: Cluster) {}

  /** Over all payments since then. @throws Error with what was printed when it could not compare */
  async reconcile(since: Date): Promise<LedgerReport> {
    const { facilitator } = this.cluster.backing;
    const env = { ...this.cluster.environmentOf('agent-gateway'), FACILITATOR_LEDGER_URL: `${facilitator.url}/ledger` };
    const period = ['--since', since.toISOString(), '--until', new Date().toISOString()];
    const { output } = await this.run('reconcile', ['--json', ...period], env);
    const [json] = /^\{$[^]*^\}$/m.exec(output) ?? [];
    if (json === undefined) throw new Error(`npm run reconcile could not compare:\n${output}`);
    return JSON.parse(json) as LedgerReport;
  }

  billingReconcile(): Promise<Ended> {
    return this.run('billing:reconcile', [], this.cluster.environmentOf('billing'));
  }

  rebuildReporting(): Promise<Ended> {
    return this.run('events:rebuild', ['reporting'], this.cluster.environmentOf('reporting'));
  }

  private async run(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const program = Program.script(script, env, args);
    const { code } = await program.exit;
    return { code, output: program.output };
  }
}

/**
 * Whether reconciliation names every payment that the facilitator has and the restored ledger has not, and nothing else.
 * @param lost their nonces
 */
export function wrongReport(lost: ReadonlySet<string>, report: LedgerReport): string[] {
  const named = (source: string): string[] =>
    report.comparisons
      .filter((comparison) => comparison.with === source)
      .flatMap(({ theirsOnly }) => theirsOnly.map(({ nonce }) => String(nonce).toLowerCase()));
  const missing = ['chain', 'facilitator', 'outbox'].filter(
    (source) => !report.comparisons.some((comparison) => comparison.with === source),
  );
  return [
    ...missing.map((source) => `reconcile did not compare with: ${source}`),
    ...(report.complete ? [] : ['reconcile has not compared to the end']),
    ...different('lost payments', lost, 'what reconcile finds at the facilitator', named('facilitator')),
    ...different('lost payments', lost, 'what reconcile finds on the chain', named('chain')),
    ...report.comparisons.flatMap((comparison) =>
      comparison.oursOnly.map(({ nonce, remedy }) => `${comparison.with} lacks ${String(nonce)}: ${remedy}`),
    ),
    ...report.needPerson.map(({ nonce, remedy }) => `${String(nonce)} needs a person: ${remedy}`),
  ];
}

/** Money that moved twice for one authorization, or other money than before. */
export function chargedAgain(
  before: readonly { nonce: string; transaction: string }[],
  after: readonly { nonce: string; transaction: string }[],
): string[] {
  const keys = (some: typeof before): string[] => some.map(({ nonce, transaction }) => `${nonce} ${transaction}`);
  return different('settlements of before', keys(before), 'those of the same authorizations', keys(after));
}
