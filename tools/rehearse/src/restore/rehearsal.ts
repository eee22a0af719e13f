import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { startKafka, startTemporaryPostgres } from '@evenkeel/services';
import { Program } from '@evenkeel/services/programs';
import { different, reading, settledBooks } from '../books';
import { emptyDatabases, makeTopics, type Databases } from '../cluster/backing';
import type { Cluster, Replica } from '../cluster/cluster';
import type { Purchase } from '../traffic/agents';
import { steadyMix, Traffic } from '../traffic/traffic';

const PEOPLE = 5;
const PURCHASES = 5;
/** Of traffic before the dumps, and again after them. */
const TRAFFIC_MS = 15_000;
/** Blocks that make a transfer final. */
const FINAL_MS = 5_000;
const SETTLED_WITHIN_MS = 60_000;

interface RehearsalOptions {
  dumps: { make: () => Promise<unknown>; restore: (databases: Databases) => Promise<unknown> };
  /** Requests a second. */
  rate: number;
  report: (step: string) => void;
}

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
export class Rehearsal {
  private readonly begun = new Date();
  private readonly wrong: string[] = [];
  /** Of those who buy after the dumps. */
  private readonly late: Traffic;

  constructor(
    private readonly cluster: Cluster,
    private readonly options: RehearsalOptions,
  ) {
    this.late = new Traffic(cluster.targets);
  }

  /** @returns a sentence for each thing that was lost unnoticed, is double, or contradicts another */
  async run(): Promise<string[]> {
    const { rate, report } = this.options;
    await using traffic = new Traffic(this.cluster.targets);
    await using late = this.late;
    await Promise.all([traffic.prepare(PEOPLE), late.people.prepare(0)]);
    // Webhooks of the traffic name ends of periods that the provider does not know: reconciliation would name them.
    traffic.start(steadyMix(rate, ['webhook', 'register', 'checkout']));
    await sleep(TRAFFIC_MS);
    const logged = [...traffic.people.logged];
    const purchases = await this.dumpAndGoOn();
    await sleep(TRAFFIC_MS);
    await traffic.stop();
    await this.lose();
    await this.restore(logged);
    const lost = await this.lostPayments();
    await this.reconcile(lost);
    await this.startAnswering();
    await this.repeat(purchases);
    await this.reconcile(lost);
    report('the books are compared');
    this.wrong.push(...(await settledBooks(this.cluster.backing)));
    await this.rebuild();
    return this.wrong;
  }

  /**
   * No event goes from one service to another during the dumps: else a reader could know of a change that its writer forgets.
   * @returns what was bought after them
   */
  private async dumpAndGoOn(): Promise<Purchase[]> {
    const { report, dumps } = this.options;
    report('workers stop, the four databases are dumped, requests go on');
    await Promise.all(this.processesOf('worker').map((process) => process.stop()));
    await dumps.make();
    await this.startAll('worker');
    report('the dumps are there, and the workers run again');
    const purchases: Purchase[] = [];
    for (let count = 0; count < PURCHASES; count++) purchases.push(await this.late.agents.pay());
    await this.late.people.upgradeVisitors();
    return purchases;
  }

  private async lose(): Promise<void> {
    const { postgres, kafka } = this.cluster.backing;
    await Promise.all(this.cluster.replicas.map(({ process }) => process.stop('SIGKILL')));
    await Promise.all([postgres.stop(), kafka.stop()]);
    this.options.report('every process is killed, and the data of PostgreSQL and Kafka are gone');
  }

  /** @param logged what was answered before the dumps */
  private async restore(logged: readonly string[]): Promise<void> {
    const { cluster, options } = this;
    const postgres = await startTemporaryPostgres();
    cluster.closeLater(() => postgres.stop());
    const databases = await emptyDatabases(postgres);
    await options.dumps.restore(databases);
    cluster.useDatabases(databases);
    options.report('new databases have what the dumps have');
    const kafka = await startKafka({ port: Number(cluster.backing.kafka.brokers.split(':')[1]) });
    cluster.closeLater(() => kafka.stop());
    await makeTopics(kafka);
    for (const app of APP_NAMES) await cluster.migrate(app);
    options.report('a new Kafka has its topics, and the schemas are those of this release');
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
    options.report('the workers publish again what the outboxes keep');
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
      const compared = comparisons.find((comparison) => comparison.with === source);
      const named = compared?.theirsOnly.map(({ nonce }) => String(nonce).toLowerCase()) ?? [];
      if (!compared) this.wrong.push(`reconcile did not compare with: ${source}`);
      else if (source !== 'outbox')
        this.wrong.push(...different('lost payments', lost, `${source} of reconcile`, named));
      for (const { nonce, remedy } of compared?.oursOnly ?? [])
        this.wrong.push(`${source} lacks ${String(nonce)}: ${remedy}`);
    }
    for (const { nonce, remedy } of needPerson) this.wrong.push(`${String(nonce)} needs a person: ${remedy}`);
    this.options.report(`reconcile names the ${lost.size} payments that were made after the dumps`);
    await this.mustEnd('billing:reconcile', 'billing');
    this.options.report('billing:reconcile has read what the provider knows');
  }

  private async startAnswering(): Promise<void> {
    for (const app of ['accounts', 'billing', 'agent-gateway', 'reporting'] as const) await this.startAll('http', app);
    for (const path of ['/v1/capabilities', '/.well-known/jwks.json']) {
      const isThere = async () => (await fetch(new URL(path, this.cluster.url))).status === 200;
      await eventually(isThere, { withinMs: SETTLED_WITHIN_MS });
    }
    this.options.report('the services answer again');
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
    const isRepeated = (one: string) => before.some((other) => other.split(' ')[0] === one.split(' ')[0]);
    const after = charged().filter(isRepeated);
    this.wrong.push(...different('settlements of before', before, 'those of the same authorizations', after));
    await agents.pay();
    await people.expectPremium().catch(({ message }: Error) => this.wrong.push(message));
    this.options.report('nobody was charged again, who buys is served, and a plan bought since gives access');
  }

  /** The new topics have all that the outboxes kept: what is made of it is what there was. */
  private async rebuild(): Promise<void> {
    const { backing } = this.cluster;
    const rollups = 'SELECT rollup, key, kept::text AS kept FROM audit.rollups';
    const totals = async () => {
      const rows = await reading(backing.databases, (read) => read('reporting', rollups));
      return rows.map((row) => Object.values(row).join(' '));
    };
    const before = await totals();
    await this.mustEnd('events:rebuild', 'reporting', ['reporting']);
    const again = different('rollups', before, 'those made again', await totals());
    this.wrong.push(...again, ...(await settledBooks(backing)));
    this.options.report('reporting is made again from the new topics, with the same totals');
  }

  private async mustEnd(script: string, app: AppName, args: readonly string[] = []): Promise<void> {
    const { code, output } = await this.command(script, app, args);
    if (code !== 0) this.wrong.push(`npm run ${script} ended with ${code}: ${output.trim()}`);
  }

  /** A command of operators, as npm has it, on the settings of the cluster. */
  private async command(script: string, app: AppName, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
    const program = Program.script(script, { ...this.cluster.environmentOf(app), ...more }, args);
    const { code } = await program.exit;
    return { code, output: program.output };
  }

  private processesOf(kind: Replica['kind'], app?: AppName) {
    const wanted = this.cluster.replicas.filter((one) => one.kind === kind && (app === undefined || one.app === app));
    return wanted.map(({ process }) => process);
  }

  private async startAll(kind: Replica['kind'], app?: AppName): Promise<void> {
    await Promise.all(this.processesOf(kind, app).map((process) => process.start()));
  }
}
