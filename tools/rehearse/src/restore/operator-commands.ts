import type { Cluster } from '../cluster';
import { Program } from '@evenkeel/services/programs';

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null;
  output: string;
}

/** What `npm run reconcile -- --json` prints. */
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
