import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { edgeConfiguration } from '@evenkeel/deploy/edge';
import { freePort, startHaproxy } from '@evenkeel/services';
import { addressesOf, startBacking, type Backing, type Between } from './backing';
import { builtProgram, buildServices } from './build';
import { ClusterProcess, type Exit } from './cluster-process';
import { EdgeCommands } from './edge-commands';
import { REPLICAS, settingsOf, TRIAL_SETTINGS, type ServiceSettings } from './settings';

/** Processes that start at the same time: more make each other slow. */
const AT_ONCE = 4;
/** After a start that failed. */
const START_AGAIN_MS = 2_000;

export interface ClusterOptions {
  /** Of the edge, on 127.0.0.1. */
  port: number;
  /** Takes the output of every process. */
  outputFolder: string;
  /** Of the shell: settings of the services that this command does not set. */
  env: NodeJS.ProcessEnv;
  report: (step: string) => void;
  /** Default: the services reach what they stand on directly. */
  between?: Between;
}

/** One process of a service. */
export interface Replica {
  app: AppName;
  kind: 'http' | 'worker';
  /** Of health and metrics. */
  internalUrl: string;
  process: ClusterProcess;
}

/** One process that was ended and started again. */
export interface Roll {
  name: string;
  exit: Exit;
  /** From its start until it was ready. */
  readyMs: number;
}

/** Real servers, the edge, and every service with its worker as it was built, two processes each. */
export class Cluster {
  readonly replicas: Replica[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];
  private edge!: EdgeCommands;
  private isStopping = false;

  private constructor(
    readonly url: string,
    readonly adminToken: string,
    private readonly options: ClusterOptions,
  ) {}

  backing!: Backing;
  settings!: ServiceSettings;

  /** Ended with it, such as a server that has replaced another. */
  closeLater(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  /** @throws Error with a sentence that says what to do; nothing is left running */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const url = `http://127.0.0.1:${options.port}`;
    const cluster = new Cluster(url, 'the word that operators know', options);
    try {
      await cluster.open();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  private async open(): Promise<void> {
    const { port, outputFolder, report, between } = this.options;
    await refuseTakenPort(port);
    mkdirSync(outputFolder, { recursive: true });
    report('building the services');
    await buildServices(this.options.env);
    this.backing = await startBacking(this.closers, report, between?.kafka);
    const real = addressesOf(this.backing);
    const { url, adminToken, backing } = this;
    this.settings = settingsOf((await between?.addresses(real)) ?? real, { url, adminToken, stripe: backing.stripe });
    await Promise.all(APP_NAMES.map((app) => this.migrate(app)));
    report('databases are migrated');

    const places = await this.addReplicas();
    await this.startAll();
    await this.startEdge(places);
    this.backing.stripe.sendTo(`${this.url}/v1/billing/webhook/stripe`);
    report(`the edge is up: ${this.url}`);
  }

  /** The environment of a program of a service. */
  environmentOf(app: AppName): NodeJS.ProcessEnv {
    return { ...TRIAL_SETTINGS, ...this.options.env, ...this.settings[app] };
  }

  /** Runs the migrations of a service to their end. @returns what was said @throws Error with its last output */
  async migrate(app: AppName): Promise<string> {
    const name = `${app}-migrate`;
    const outputFile = join(this.options.outputFolder, `${name}.log`);
    const job = new ClusterProcess({
      name,
      script: builtProgram(app, 'migrate'),
      env: this.environmentOf(app),
      outputFile,
    });
    return job.run();
  }

  private async addReplicas(): Promise<Places> {
    const ports = new Set<number>();
    while (ports.size < APP_NAMES.length * REPLICAS * 3) ports.add(await freePort());
    const [...free] = ports;
    const places = {} as Record<AppName, { host: string; port: number; internalPort: number }[]>;
    for (const app of APP_NAMES) {
      places[app] = [];
      for (let number = 1; number <= REPLICAS; number++) {
        const [port, internalPort, workerPort] = [free.pop()!, free.pop()!, free.pop()!];
        places[app].push({ host: '127.0.0.1', port, internalPort });
        this.add(app, 'http', `${app}-${number}`, { PORT: String(port), INTERNAL_PORT: String(internalPort) });
        this.add(app, 'worker', `${app}-worker-${number}`, { WORKER_INTERNAL_PORT: String(workerPort) });
      }
    }
    return places;
  }

  private add(app: AppName, kind: Replica['kind'], name: string, ports: Record<string, string>): void {
    const isHttp = kind === 'http';
    const script = builtProgram(app, isHttp ? 'main' : 'worker');
    const outputFile = join(this.options.outputFolder, `${name}.log`);
    const env = { ...this.environmentOf(app), ...ports };
    const internalUrl = `http://127.0.0.1:${ports['INTERNAL_PORT'] ?? ports['WORKER_INTERNAL_PORT']}`;
    const process = new ClusterProcess({ name, app: isHttp ? app : undefined, script, env, outputFile });
    this.replicas.push({ app, kind, internalUrl, process });
  }

  private async startAll(): Promise<void> {
    const waiting = [...this.replicas];
    const startNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await next.process.start();
        this.options.report(`${next.process.name} is ready`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, startNext));
  }

  private async startEdge(servers: Places): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-edge-'));
    this.closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    const controlSocket = join(folder, 'haproxy.sock');
    const listen = `127.0.0.1:${this.options.port}`;
    const outputFile = join(this.options.outputFolder, 'edge.log');
    const onLine = (line: string): void => appendFileSync(outputFile, `${line}\n`);
    const haproxy = await startHaproxy(edgeConfiguration({ listen, servers, controlSocket }), { onLine });
    this.closers.push(() => haproxy.stop());
    this.edge = new EdgeCommands(controlSocket);
  }

  /** All services go to other databases when they start the next time. */
  useDatabases(databases: Readonly<Record<AppName, string>>): void {
    this.backing = { ...this.backing, databases };
    const settings = APP_NAMES.map((app) => [app, { ...this.settings[app], DATABASE_URL: databases[app] }]);
    this.settings = Object.fromEntries(settings) as ServiceSettings;
    for (const { app, process } of this.replicas) process.options.env['DATABASE_URL'] = databases[app];
  }

  /**
   * Ends and starts each process of a service, one after the other: first those that answer, then its workers.
   * @param whileBusy those that answer are ended with requests open, which they finish; by default they are waited for
   */
  async roll(app: AppName, { whileBusy = false } = {}): Promise<Roll[]> {
    const rolls: Roll[] = [];
    const ours = this.replicas.filter((replica) => replica.app === app);
    for (const { kind, process } of ours.sort((a, b) => a.kind.localeCompare(b.kind))) {
      const { name } = process;
      if (kind === 'http') await (whileBusy ? this.edge.stopSending(app, name) : this.edge.takeOut(app, name));
      const exit = await process.stop();
      const begun = performance.now();
      await process.start();
      if (kind === 'http') await this.edge.takeIn(app, name);
      const readyMs = Math.round(performance.now() - begun);
      this.options.report(`${name} ended after ${exit.ms} ms, and was ready ${readyMs} ms later`);
      rolls.push({ name, exit, readyMs });
    }
    return rolls;
  }

  /** From now on a process that dies is reported, and started again, as a container would be. */
  keepAlive(): void {
    for (const { process } of this.replicas) {
      process.watch(({ code, signal }) => {
        const { name, outputFile } = process.options;
        this.options.report(
          `${name} died with ${signal ?? `code ${code}`}, starting it again; its last words: ${outputFile}`,
        );
        void this.startAgain(process);
      });
    }
  }

  private async startAgain(process: ClusterProcess): Promise<void> {
    for (;;) {
      try {
        await process.start();
        return this.options.report(`${process.name} is ready again`);
      } catch (error) {
        if (this.isStopping) return;
        this.options.report((error as Error).message);
        await sleep(START_AGAIN_MS);
      }
    }
  }

  /** Ends everything, the services first. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.replicas.map(({ process }) => process.stop()));
    for (let close = this.closers.pop(); close; close = this.closers.pop()) await close().catch(() => undefined);
  }
}

type Places = Record<AppName, { host: string; port: number; internalPort: number }[]>;

async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    throw new Error(`Port ${port} of 127.0.0.1 is taken by another process. Stop that one, or set PORT to a free one.`);
  }
  await new Promise((closed) => probe.close(closed));
}
