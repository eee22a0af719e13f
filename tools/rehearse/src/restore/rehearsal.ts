import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { createTopics } from '@evenkeel/platform/messaging';
import { startKafka, startTemporaryPostgres } from '@evenkeel/services';
import {
  type Cluster,
  type Mix,
  type Purchase,
  STEADY_MIX,
  Traffic,
  audited,
  different,
  emptyDatabases,
  reading,
  reportedOtherwise,
  scaledMix,
  subscribedOtherwise,
  targetsOf,
} from '../cluster';
import { OperatorCommands, chargedAgain, wrongReport } from './operator-commands';
import { dumpAll, restoreAll, type PostgresClients } from './postgres-clients';

const PEOPLE = 5;
/** Webhooks of the traffic tell of ends of periods that the provider does not know: reconciliation would name them. */
const MIX: Mix = { ...STEADY_MIX, webhook: 0 };
const PURCHASES = 5;
/** Blocks that make a transfer final. */
const FINAL_MS = 5_000;
const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 500;

export interface RehearsalOptions {
  clients: PostgresClients;
  /** Takes the dumps. */
  folder: string;
  /** Requests a second. */
  rate: number;
  /** Of traffic before the dumps, and again after them. */
  trafficMs: number;
  report: (step: string) => void;
}

/**
 * Loses the databases and Kafka of a running cluster, and brings it back from dumps of earlier, in the order of
 * docs/operations/database.md.
 */
export class Rehearsal {
  private readonly begun = new Date();
  private readonly wrong: string[] = [];
  private readonly commands: OperatorCommands;
  /** Of those who buy after the dumps. */
  private readonly late: Traffic;

  constructor(
    private readonly cluster: Cluster,
    private readonly options: RehearsalOptions,
  ) {
    this.commands = new OperatorCommands(cluster);
    this.late = new Traffic(targetsOf(cluster));
  }

  /** @returns a sentence for each thing that was lost unnoticed, is double, or contradicts another */
  async run(): Promise<string[]> {
    const { clients, folder, rate, trafficMs, report } = this.options;
    const traffic = new Traffic(targetsOf(this.cluster));
    try {
      await Promise.all([traffic.prepare(PEOPLE), this.late.people.prepare(0)]);
      await traffic.agents.prepare();
      traffic.start(scaledMix(MIX, rate));
      await sleep(trafficMs);
      const stored = [...traffic.people.logged];
      await this.dump(clients, folder);
      const purchases = await this.goOn(trafficMs);
      await traffic.stop();
      await this.lose();
      await this.restore(clients, folder);
      await this.expectLogs(stored);
      await this.startWorkers();
      const lost = await this.compare();
      await this.startAnswering();
      await this.repeat(purchases);
      await this.compareAgain(lost);
      report('the books are compared');
      this.wrong.push(...(await this.settledBooks()));
      await this.rebuild();
      return this.wrong;
    } finally {
      await traffic.close();
      await this.late.close();
    }
  }

  /** No event goes from one service to another meanwhile: else a reader could know of a change that its writer forgets. */
  private async dump(clients: PostgresClients, folder: string): Promise<void> {
    const { report } = this.options;
    report('workers stop, the four databases are dumped, requests go on');
    await Promise.all(this.processesOf('worker').map((process) => process.stop()));
    await dumpAll(clients, this.cluster.backing.databases, folder);
    await this.startAll('worker');
    report('the dumps are there, and the workers run again');
  }

  /** Changes after the dumps. */
  private async goOn(trafficMs: number): Promise<Purchase[]> {
    const purchases: Purchase[] = [];
    for (let count = 0; count < PURCHASES; count++) purchases.push(await this.late.agents.pay());
    await this.late.people.upgradeVisitors();
    await sleep(trafficMs);
    return purchases;
  }

  private async lose(): Promise<void> {
    const { postgres, kafka } = this.cluster.backing;
    await Promise.all(this.cluster.replicas.map(({ process }) => process.stop('SIGKILL')));
    await Promise.all([postgres.stop(), kafka.stop()]);
    this.options.report('every process is killed, and the data of PostgreSQL and Kafka are gone');
  }

  private async restore(clients: PostgresClients, folder: string): Promise<void> {
    const { cluster, options } = this;
    const postgres = await startTemporaryPostgres();
    cluster.closeLater(() => postgres.stop());
    const databases = await emptyDatabases(postgres);
    await restoreAll(clients, databases, folder);
    cluster.useDatabases(databases);
    options.report('new databases have what the dumps have');

    const port = Number(cluster.backing.kafka.brokers.split(':')[1]);
    const kafka = await startKafka({ port });
    cluster.closeLater(() => kafka.stop());
    await createTopics({
      access: { brokers: [kafka.brokers] },
      log: { warn: () => undefined, error: () => undefined },
    });
    for (const app of APP_NAMES) await cluster.migrate(app);
    options.report('a new Kafka has its topics, and the schemas are those of this release');
  }

  /** Stored before the dumps, as answers confirmed. */
  private expectLogs(answered: readonly string[]): Promise<void> {
    return reading(this.cluster.backing.databases, async (read) => {
      const stored = new Set(
        (await read('accounts', 'SELECT client_id::text AS id FROM habit_logs')).map(({ id }) => id),
      );
      const lost = answered.filter((id) => !stored.has(id));
      if (lost.length > 0)
        this.wrong.push(`${lost.length} of ${answered.length} logs that were dumped are not restored`);
    });
  }

  /** The new topics are empty: everything that the outboxes keep is published again, and readers know what they have read. */
  private async startWorkers(): Promise<void> {
    await reading(this.cluster.backing.databases, async (read) => {
      for (const app of ['agent-gateway', 'accounts', 'billing'] as const)
        await read(app, 'UPDATE outbox SET published_at = NULL');
    });
    await this.startAll('worker');
    this.options.report('the workers publish again what the outboxes keep');
  }

  /** @returns the nonces of payments that the ledger has lost */
  private async compare(): Promise<Set<string>> {
    const { report } = this.options;
    await sleep(FINAL_MS);
    const charged = this.cluster.backing.facilitator.ledger().settlements.map(({ nonce }) => nonce.toLowerCase());
    const known = await reading(this.cluster.backing.databases, (read) =>
      read('agent-gateway', 'SELECT lower(nonce) AS nonce FROM audit.payments'),
    );
    const nonces = new Set(known.map(({ nonce }) => String(nonce)));
    const lost = new Set(charged.filter((nonce) => !nonces.has(nonce)));
    if (lost.size < PURCHASES)
      this.wrong.push(`only ${lost.size} payments are missing: the rehearsal has lost nothing`);
    this.wrong.push(...wrongReport(lost, await this.commands.reconcile(this.begun)));
    report(`reconcile names the ${lost.size} payments that were made after the dumps`);
    const { code, output } = await this.commands.billingReconcile();
    if (code !== 0) this.wrong.push(`npm run billing:reconcile ended with ${code}: ${output.trim()}`);
    report('billing:reconcile has read what the provider knows');
    return lost;
  }

  private async startAnswering(): Promise<void> {
    for (const app of ['accounts', 'billing', 'agent-gateway', 'reporting'] as const) await this.startAll('http', app);
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    for (const path of ['/v1/capabilities', '/.well-known/jwks.json']) {
      while ((await fetch(new URL(path, this.cluster.url))).status !== 200 && performance.now() < deadline)
        await sleep(POLL_MS);
    }
    this.options.report('the services answer again');
  }

  /** Buyers repeat what they have paid for, and what the ledger has lost: they are refused, and nobody is charged again. */
  private async repeat(purchases: readonly Purchase[]): Promise<void> {
    const { facilitator } = this.cluster.backing;
    const before = facilitator.ledger().settlements;
    for (const purchase of purchases) {
      const { status, text } = await this.late.agents.send(purchase);
      if (status !== 402) this.wrong.push(`${purchase.nonce}, repeated, gets ${status}: ${text.slice(0, 200)}`);
    }
    await this.late.agents.pay();
    const after = facilitator.ledger().settlements.filter(({ nonce }) => before.some((one) => one.nonce === nonce));
    this.wrong.push(...chargedAgain(before, after));
    await this.late.people.expectPremium().catch(({ message }: Error) => this.wrong.push(message));
    this.options.report('nobody was charged again, who buys is served, and a plan bought since gives access');
  }

  private async compareAgain(lost: ReadonlySet<string>): Promise<void> {
    this.wrong.push(...wrongReport(lost, await this.commands.reconcile(this.begun)));
    const { code, output } = await this.commands.billingReconcile();
    if (code !== 0) this.wrong.push(`npm run billing:reconcile ended with ${code}: ${output.trim()}`);
  }

  /** Events are on their way for a while. */
  private async settledBooks(): Promise<string[]> {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const { databases, stripe } = this.cluster.backing;
      const wrong = await reading(databases, async (read) => [
        ...(await audited(read)),
        ...(await reportedOtherwise(read)),
        ...(await subscribedOtherwise(read, stripe)),
      ]);
      if (wrong.length === 0 || performance.now() > deadline) return wrong;
      await sleep(POLL_MS);
    }
  }

  /** The new topics have all that the outboxes kept: what is made of it is what there was. */
  private async rebuild(): Promise<void> {
    const { databases } = this.cluster.backing;
    const totals = () =>
      reading(databases, async (read) =>
        (await read('reporting', 'SELECT rollup, key, kept::text AS kept FROM audit.rollups')).map((row) =>
          Object.values(row).join(' '),
        ),
      );
    const before = await totals();
    const { code, output } = await this.commands.rebuildReporting();
    if (code !== 0) this.wrong.push(`npm run events:rebuild -- reporting ended with ${code}: ${output.trim()}`);
    this.wrong.push(
      ...different('rollups', before, 'those made again', await totals()),
      ...(await this.settledBooks()),
    );
    this.options.report('reporting is made again from the new topics, with the same totals');
  }

  private processesOf(kind: 'http' | 'worker', app?: AppName) {
    const wanted = this.cluster.replicas.filter((one) => one.kind === kind && (app === undefined || one.app === app));
    return wanted.map(({ process }) => process);
  }

  private async startAll(kind: 'http' | 'worker', app?: AppName): Promise<void> {
    await Promise.all(this.processesOf(kind, app).map((process) => process.start()));
  }
}
