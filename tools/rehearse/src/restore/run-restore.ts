import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { CommandLine, integer } from '@evenkeel/platform/command-line';
import { eventually } from '@evenkeel/platform/testing';
import { startKafka, startTemporaryPostgres } from '@evenkeel/services';
import { Program } from '@evenkeel/services/programs';
import { different, reading, settledBooks } from '../books';
import { emptyDatabases, makeTopics } from '../cluster/backing';
import type { Cluster } from '../cluster/cluster';
import type { Replica } from '../cluster/replica';
import { command, ENVIRONMENT, rehearse } from '../rehearsal';
import type { Purchase } from '../traffic/agents';
import { steadyMix, Traffic } from '../traffic/traffic';
import { Dumps } from './dumps';

const LINE = new CommandLine({
  call: 'npm run restore:rehearse',
  about: `Starts a cluster of its own, dumps its four databases under load, lets the load go on, loses PostgreSQL and Kafka, and
restores it in the order of docs/operations/database.md. Payments made after the dumps must be named by reconcile, buyers who
repeat them must not be charged again, plans bought since must come back, and all books must say the same in the end.`,
  usage: ['npm run restore:rehearse                         3 minutes'],
  options: { rate: integer({ help: 'requests a second', from: 1, to: 1_000, fallback: 20 }) },
  environment: ENVIRONMENT,
  ends: 'Ends with 1 and a sentence for each thing that was lost unnoticed, is double, or contradicts another.',
  read: (values) => values,
});

export const restore = command(LINE, async ({ rate }, surroundings) => {
  const dumps = await Dumps.open();
  const about = {
    name: 'restore',
    allIsWell: 'Restored: nothing was lost unnoticed.',
    people: 5,
    // Webhooks of the traffic name ends of periods that the provider does not know: reconciliation would name them.
    mix: steadyMix(rate, ['webhook', 'register', 'checkout']),
  };
  return rehearse(surroundings, about, async (cluster, traffic) => {
    await using late = new Traffic(cluster.targets);
    return new Restore(cluster, dumps, traffic, late, surroundings.report).run();
  }).finally(() => dumps.remove());
});

const PURCHASES = 5;
/** Of traffic before the dumps, and again after them. */
const TRAFFIC_MS = 15_000;
/** Blocks that make a transfer final. */
const FINAL_MS = 5_000;
const ANSWERS_WITHIN_MS = 60_000;

/** The output of `npm run reconcile -- --json`. */
interface LedgerReport {
  complete: boolean;
  comparisons: { with: string; oursOnly: Missing[]; theirsOnly: Missing[] }[];
  needPerson: Missing[];
}

interface Missing {
  nonce: string | null;
  remedy: string;
}

/** Loses the databases and Kafka of a running cluster, and brings it back from dumps of earlier, in the order of docs/operations/database.md. */
class Restore {
  private readonly begun = new Date();
  private readonly wrong: string[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly dumps: Dumps,
    private readonly traffic: Traffic,
    /** Of those who buy after the dumps. */
    private readonly late: Traffic,
    private readonly report: (step: string) => void,
  ) {}

  /** @returns a sentence for each thing that was lost unnoticed, is double, or contradicts another */
  async run(): Promise<string[]> {
    await this.late.people.prepare(0, 1);
    await sleep(TRAFFIC_MS);
    const logged = [...this.traffic.people.logged];
    const purchases = await this.dumpAndGoOn();
    await sleep(TRAFFIC_MS);
    await this.traffic.stop();
    await this.lose();
    await this.restore(logged);
    const lost = await this.lostPayments();
    await this.reconcile(lost);
    await this.startAnswering();
    await this.repeat(purchases);
    await this.reconcile(lost);
    this.report('the books are compared');
    return [...this.wrong, ...(await settledBooks(this.cluster.backing))];
  }

  /**
   * No event goes from one service to another during the dumps: else a reader could know of a change that its writer forgets.
   * @returns what was bought after them
   */
  private async dumpAndGoOn(): Promise<Purchase[]> {
    this.report('workers stop, the four databases are dumped, requests go on');
    await Promise.all(this.cluster.replicasOf(undefined, 'worker').map((process) => process.stop()));
    await this.dumps.make(this.cluster.backing.databases);
    await this.startAll('worker');
    this.report('the dumps are there, and the workers run again');
    const purchases: Purchase[] = [];
    for (let count = 0; count < PURCHASES; count++) purchases.push(await this.late.agents.pay());
    await this.late.people.upgradeVisitors();
    return purchases;
  }

  private async lose(): Promise<void> {
    const { postgres, kafka } = this.cluster.backing;
    await Promise.all(this.cluster.replicas.map((process) => process.stop('SIGKILL')));
    await Promise.all([postgres.stop(), kafka.stop()]);
    this.report('every process is killed, and the data of PostgreSQL and Kafka are gone');
  }

  /** @param logged what was answered before the dumps */
  private async restore(logged: readonly string[]): Promise<void> {
    const { cluster } = this;
    const postgres = await startTemporaryPostgres();
    cluster.closeLater(() => postgres.stop());
    const databases = await emptyDatabases(postgres);
    await this.dumps.restore(databases);
    cluster.useDatabases(databases);
    const kafka = await startKafka({ port: Number(cluster.backing.kafka.brokers.split(':')[1]) });
    cluster.closeLater(() => kafka.stop());
    await makeTopics(kafka);
    for (const app of APP_NAMES) await cluster.migrate(app);
    this.report('new databases have what the dumps have, a new Kafka has its topics');
    await reading(databases, async (read) => {
      const rows = await read('accounts', 'SELECT client_id::text AS id FROM habit_logs');
      const stored = new Set(rows.map(({ id }) => id));
      const lost = logged.filter((id) => !stored.has(id));
      if (lost.length > 0) this.wrong.push(`${lost.length} of ${logged.length} logs that were dumped are not restored`);
      // The new topics are empty: all that the outboxes keep is published again, and readers know what they have read.
      for (const app of ['agent-gateway', 'accounts', 'billing'] as const)
        await read(app, 'UPDATE outbox SET published_at = NULL');
    });
    await this.startAll('worker');
    this.report('the workers publish again what the outboxes keep');
  }

  /** @returns the nonces of payments that the ledger has lost */
  private async lostPayments(): Promise<Set<string>> {
    await sleep(FINAL_MS);
    const { databases, facilitator } = this.cluster.backing;
    const known = await reading(databases, (read) =>
      read('agent-gateway', 'SELECT lower(nonce) AS nonce FROM audit.payments'),
    );
    const nonces = new Set(known.map(({ nonce }) => String(nonce)));
    const charged = facilitator.ledger().settlements.map(({ nonce }) => nonce.toLowerCase());
    const lost = new Set(charged.filter((nonce) => !nonces.has(nonce)));
    if (lost.size < PURCHASES) this.wrong.push(`only ${lost.size} payments are missing: nothing was lost to find`);
    return lost;
  }

  /** Names every payment that the facilitator has and the restored ledger has not, and nothing else. */
  private async reconcile(lost: ReadonlySet<string>): Promise<void> {
    const FACILITATOR_LEDGER_URL = `${this.cluster.backing.facilitator.url}/ledger`;
    const args = ['--json', '--since', this.begun.toISOString(), '--until', new Date().toISOString()];
    const { output } = await this.command('reconcile', 'agent-gateway', args, { FACILITATOR_LEDGER_URL });
    const [json] = /^\{$[^]*^\}$/m.exec(output) ?? [];
    if (json === undefined) throw new Error(`npm run reconcile could not compare:\n${output}`);
    const { complete, comparisons, needPerson } = JSON.parse(json) as LedgerReport;
    if (!complete) this.wrong.push('reconcile has not compared to the end');
    for (const source of ['chain', 'facilitator', 'outbox']) {
      const { theirsOnly = [], oursOnly = [] } = comparisons.find((one) => one.with === source) ?? {};
      const named = theirsOnly.map(({ nonce }) => String(nonce).toLowerCase());
      if (source !== 'outbox') this.wrong.push(...different('lost payments', lost, `${source} of reconcile`, named));
      this.wrong.push(...oursOnly.map(({ nonce, remedy }) => `${source} lacks ${nonce}: ${remedy}`));
    }
    this.wrong.push(...needPerson.map(({ nonce, remedy }) => `${nonce} needs a person: ${remedy}`));
    this.report(`reconcile names the ${lost.size} payments that were made after the dumps`);
    const { code, output: said } = await this.command('billing:reconcile', 'billing');
    if (code !== 0) this.wrong.push(`npm run billing:reconcile ended with ${code}: ${said.trim()}`);
    this.report('billing:reconcile has read what the provider knows');
  }

  private async startAnswering(): Promise<void> {
    for (const app of ['accounts', 'billing', 'agent-gateway', 'reporting'] as const) await this.startAll('http', app);
    for (const path of ['/v1/capabilities', '/.well-known/jwks.json']) {
      const isThere = async () => (await fetch(new URL(path, this.cluster.url))).status === 200;
      await eventually(isThere, { withinMs: ANSWERS_WITHIN_MS });
    }
    this.report('the services answer again');
  }

  /** Buyers repeat what they have paid for, and what the ledger has lost: they are refused, and nobody is charged again. */
  private async repeat(purchases: readonly Purchase[]): Promise<void> {
    const { facilitator } = this.cluster.backing;
    const { agents, people } = this.late;
    const charged = () => facilitator.ledger().settlements.map(({ nonce, transaction }) => `${nonce} ${transaction}`);
    const before = charged();
    for (const purchase of purchases) {
      const { status, text } = await agents.send(purchase);
      if (status !== 402) this.wrong.push(`${purchase.nonce}, repeated, gets ${status}: ${text.slice(0, 200)}`);
    }
    this.wrong.push(...different('settlements of before', before, 'those after the repeats', charged()));
    await agents.pay();
    await people.expectPremium().catch(({ message }: Error) => this.wrong.push(message));
    this.report('nobody was charged again, who buys is served, and a plan bought since gives access');
  }

  /** A command of operators, as npm has it, on the settings of the cluster. */
  private async command(script: string, app: AppName, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}) {
    const program = Program.script(script, { ...this.cluster.environmentOf(app), ...more }, args);
    const { code } = await program.exit;
    return { code, output: program.output };
  }

  private async startAll(kind: Replica['kind'], app?: AppName): Promise<void> {
    await Promise.all(this.cluster.replicasOf(app, kind).map((process) => process.start()));
  }
}
