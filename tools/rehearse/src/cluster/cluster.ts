import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { edgeConfiguration, type EdgeServer } from '@evenkeel/deploy/edge';
import { eventually } from '@evenkeel/platform/testing';
import { freePort, startHaproxy } from '@evenkeel/services';
import { Program } from '@evenkeel/services/programs';
import type { Lines } from '../faults/lines';
import type { Targets } from '../traffic/caller';
import { REPLICAS, settingsOf, startBacking, type Backing, type Databases } from './backing';
import { Replica } from './replica';

export const ROOT = join(__dirname, '../../../..');
/** Everybody here has one address. What is set in the shell comes after it. */
const TRIAL_SETTINGS = { RATE_LIMIT_SCALE: '1000' };
/** Until all requests that were sent to a server have arrived there. */
const ARRIVED_MS = 50;
const IN_EDGE_WITHIN_MS = 30_000;
const BACKENDS = ['reads', 'writes'];
/** Column `status` of what HAProxy says of its servers. */
const STATUS = 17;

interface ClusterOptions {
  port: number;
  /** Takes the output of every process. */
  outputFolder: string;
  /** Of the shell: settings of the services that this command does not set. */
  env: NodeJS.ProcessEnv;
  report: (step: string) => void;
  /** Between the services and what they stand on. Default: they reach it directly. */
  lines?: Lines | undefined;
}

export type Roll = Awaited<ReturnType<Replica['stop']>> & { name: string; readyMs: number };

/** Real servers, the edge, and every service with its worker as it was built, two processes each. */
export class Cluster {
  readonly replicas: Replica[] = [];
  readonly adminToken = 'the word that operators know';
  readonly url: string;
  backing!: Backing;
  private settings!: Record<AppName, NodeJS.ProcessEnv>;
  private readonly closers: (() => Promise<unknown>)[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-cluster-'));
  private readonly edgeSocket = join(this.folder, 'haproxy.sock');

  private constructor(private readonly options: ClusterOptions) {
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** @throws Error with a sentence that says what to do; nothing is left running */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options);
    try {
      await cluster.open();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get targets(): Targets {
    const { url: stripeUrl, secretKey: stripeKey, webhookSecret } = this.backing.stripe;
    return { url: this.url, adminToken: this.adminToken, stripeUrl, stripeKey, webhookSecret };
  }

  /** Ended with it, such as a server that has replaced another. */
  closeLater(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  private async open(): Promise<void> {
    const { port, outputFolder, report, lines, env } = this.options;
    rmSync(outputFolder, { recursive: true, force: true });
    mkdirSync(outputFolder, { recursive: true });
    report('building the services');
    await buildServices(env);
    this.backing = await startBacking(this.closers, lines);
    report('the servers are up');
    this.settings = await settingsOf(this.backing, this, lines);
    await Promise.all(APP_NAMES.map((app) => this.migrate(app)));
    report('databases are migrated');
    const servers = await this.addReplicas();
    // All sixteen at once would make each other slow.
    for (const app of APP_NAMES) await Promise.all(this.replicasOf(app).map((replica) => replica.start()));
    report('every process is ready');
    const configuration = edgeConfiguration({ listen: `127.0.0.1:${port}`, servers, controlSocket: this.edgeSocket });
    const onLine = (line: string): void => appendFileSync(join(outputFolder, 'edge.log'), `${line}\n`);
    const haproxy = await startHaproxy(configuration, { onLine });
    this.closeLater(() => haproxy.stop());
    this.backing.stripe.sendTo(`${this.url}/v1/billing/webhook/stripe`);
    report(`the edge is up: ${this.url}`);
  }

  /** Processes of a service, or of all, first those that answer. */
  replicasOf(app?: AppName, kind?: Replica['kind']): Replica[] {
    return this.replicas
      .filter((one) => (app ?? one.app) === one.app && (kind ?? one.kind) === one.kind)
      .sort((a, b) => a.kind.localeCompare(b.kind));
  }

  /** The environment of a program of a service. */
  environmentOf(app: AppName): NodeJS.ProcessEnv {
    return { ...TRIAL_SETTINGS, ...this.options.env, ...this.settings[app] };
  }

  /** Runs the migrations of a service to their end. @throws Error with their output */
  async migrate(app: AppName): Promise<void> {
    const program = this.launch(app, 'migrate', `${app}-migrate`);
    const { code } = await program.exit;
    if (code !== 0) throw new Error(`The migrations of ${app} failed:\n${program.output}`);
  }

  private launch(app: AppName, program: 'main' | 'worker' | 'migrate', name: string, ports = {}): Program {
    return Program.built(join(ROOT, 'apps', app, 'dist', `${program}.js`), {
      env: { ...this.environmentOf(app), ...ports },
      outputFile: join(this.options.outputFolder, `${name}.log`),
      app: program === 'main' ? app : undefined,
    });
  }

  /** @returns where the edge finds them */
  private async addReplicas(): Promise<Record<AppName, EdgeServer[]>> {
    const ports = new Set<number>();
    while (ports.size < APP_NAMES.length * REPLICAS * 3) ports.add(await freePort());
    const [...free] = ports;
    const servers = {} as Record<AppName, EdgeServer[]>;
    for (const app of APP_NAMES) {
      servers[app] = [];
      for (let number = 1; number <= REPLICAS; number++) {
        const [port, internalPort, workerPort] = [free.pop()!, free.pop()!, free.pop()!];
        servers[app].push({ host: '127.0.0.1', port, internalPort });
        const add = (kind: Replica['kind'], name: string, internal: number, launch: () => Program): void =>
          void this.replicas.push(new Replica(app, kind, name, `http://127.0.0.1:${internal}`, launch));
        const [name, workerName] = [`${app}-${number}`, `${app}-worker-${number}`];
        const ofMain = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
        add('http', name, internalPort, () => this.launch(app, 'main', name, ofMain));
        const ofWorker = { WORKER_INTERNAL_PORT: String(workerPort) };
        add('worker', workerName, workerPort, () => this.launch(app, 'worker', workerName, ofWorker));
      }
    }
    return servers;
  }

  /** All services go to other databases when they start the next time. */
  useDatabases(databases: Databases): void {
    this.backing = { ...this.backing, databases };
    for (const app of APP_NAMES) this.settings[app]['DATABASE_URL'] = databases[app];
  }

  /**
   * Ends and starts each process of a service, one after the other: first those that answer, which finish the requests
   * that they have, then its workers.
   */
  async roll(app: AppName): Promise<Roll[]> {
    const rolls: Roll[] = [];
    for (const replica of this.replicasOf(app)) {
      const { name, kind } = replica;
      if (kind === 'http') await this.setInEdge(app, name, 'drain');
      await sleep(ARRIVED_MS);
      const exit = await replica.stop();
      const begun = performance.now();
      await replica.start();
      if (kind === 'http') await this.setInEdge(app, name, 'ready');
      const readyMs = Math.round(performance.now() - begun);
      this.options.report(`${name} ended after ${exit.ms} ms, and was ready ${readyMs} ms later`);
      rolls.push({ ...exit, name, readyMs });
    }
    return rolls;
  }

  /** Takes a server out of the edge, where requests under way go on, or in again, until requests come to it. */
  private async setInEdge(app: AppName, server: string, state: 'drain' | 'ready'): Promise<void> {
    for (const kind of BACKENDS) await this.askEdge(`set server ${app}_${kind}/${server} state ${state}`);
    if (state === 'drain') return;
    const isUp = async (): Promise<boolean> => {
      const rows = (await this.askEdge('show stat')).split('\n').map((line) => line.split(','));
      const isOurs = ([backend, name]: string[]) =>
        name === server && BACKENDS.some((kind) => backend === `${app}_${kind}`);
      return rows.filter((row) => isOurs(row) && row[STATUS] === 'UP').length === BACKENDS.length;
    };
    await eventually(isUp, { withinMs: IN_EDGE_WITHIN_MS });
  }

  /** Commands may be repeated. A busy HAProxy closes a connection that it has no time for. */
  private askEdge(command: string): Promise<string> {
    return eventually(() => {
      const socket = connect(this.edgeSocket);
      socket.end(`${command}\n`);
      return text(socket);
    });
  }

  /** Ends everything, the services first. */
  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    for (let close = this.closers.pop(); close; close = this.closers.pop()) await close().catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Builds the services and the libraries they use, where a source is newer than its build. */
async function buildServices(shell: NodeJS.ProcessEnv): Promise<void> {
  const projects = APP_NAMES.map((app) => `@evenkeel/${app}`).join(',');
  const args = ['run', 'build', '--', `--projects=${projects}`];
  // Its daemon would stay behind.
  await promisify(execFile)('npm', args, { cwd: ROOT, env: { ...shell, NX_DAEMON: 'false' } }).catch((cause: Error) => {
    throw new Error('The build failed. Type "npm run build" to see why.', { cause });
  });
}
