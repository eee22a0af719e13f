import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { edgeConfiguration, type EdgeServer } from '@evenkeel/deploy/edge';
import { freePort, startHaproxy } from '@evenkeel/services';
import type { Targets } from '../traffic/caller';
import {
  startBacking,
  REPLICAS,
  settingsOf,
  type Addresses,
  type Backing,
  type Between,
  type Databases,
} from './backing';
import { ClusterProcess, type Exit } from './cluster-process';
import { EdgeCommands } from './edge-commands';

export const ROOT = join(__dirname, '../../../..');
/** Processes that start at the same time: more make each other slow. */
const AT_ONCE = 4;
/** After a start that failed. */
const START_AGAIN_MS = 2_000;
/** Everybody here has one address. What is set in the shell comes after it. */
const TRIAL_SETTINGS = { RATE_LIMIT_SCALE: '1000' };

interface ClusterOptions {
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
  /** Of sockets; it goes with the cluster. */
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-cluster-'));
  readonly adminToken = 'the word that operators know';
  readonly url: string;
  backing!: Backing;
  private settings!: Readonly<Record<AppName, NodeJS.ProcessEnv>>;
  private readonly closers: (() => Promise<unknown>)[] = [];
  private readonly edge: EdgeCommands;
  private isStopping = false;

  private constructor(private readonly options: ClusterOptions) {
    this.url = `http://127.0.0.1:${options.port}`;
    this.edge = new EdgeCommands(join(this.folder, 'haproxy.sock'));
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
    const { port, outputFolder, report, between, env } = this.options;
    await refuseTakenPort(port);
    mkdirSync(outputFolder, { recursive: true });
    report('building the services');
    await buildServices(env);
    this.backing = await startBacking(this.closers, report, between?.kafka);
    const { databases, redis, kafka, facilitator, stripe, mails } = this.backing;
    const real: Addresses = {
      databases,
      redis: redis.url,
      kafka: kafka.brokers,
      facilitator: facilitator.url,
      stripe: stripe.url,
      smtp: mails.url,
    };
    this.settings = settingsOf((await between?.addresses(real)) ?? real, this.backing, this);
    await Promise.all(APP_NAMES.map((app) => this.migrate(app)));
    report('databases are migrated');
    const servers = await this.addReplicas();
    const waiting = [...this.replicas];
    const startNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await next.process.start();
        report(`${next.process.name} is ready`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, startNext));
    const controlSocket = join(this.folder, 'haproxy.sock');
    const configuration = edgeConfiguration({ listen: `127.0.0.1:${port}`, servers, controlSocket });
    const onLine = (line: string): void => appendFileSync(join(outputFolder, 'edge.log'), `${line}\n`);
    const haproxy = await startHaproxy(configuration, { onLine });
    this.closers.push(() => haproxy.stop());
    stripe.sendTo(`${this.url}/v1/billing/webhook/stripe`);
    report(`the edge is up: ${this.url}`);
  }

  /** The environment of a program of a service. */
  environmentOf(app: AppName): NodeJS.ProcessEnv {
    return { ...TRIAL_SETTINGS, ...this.options.env, ...this.settings[app] };
  }

  /** Runs the migrations of a service to their end. @throws Error with its last output */
  async migrate(app: AppName): Promise<void> {
    await this.program(app, 'migrate', `${app}-migrate`).run();
  }

  private program(app: AppName, program: 'main' | 'worker' | 'migrate', name: string, ports = {}): ClusterProcess {
    return new ClusterProcess({
      name,
      app: program === 'main' ? app : undefined,
      script: join(ROOT, 'apps', app, 'dist', `${program}.js`),
      env: { ...this.environmentOf(app), ...ports },
      outputFile: join(this.options.outputFolder, `${name}.log`),
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
        const ofMain = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
        const main = this.program(app, 'main', `${app}-${number}`, ofMain);
        const worker = this.program(app, 'worker', `${app}-worker-${number}`, {
          WORKER_INTERNAL_PORT: String(workerPort),
        });
        this.replicas.push(
          { app, kind: 'http', internalUrl: `http://127.0.0.1:${internalPort}`, process: main },
          { app, kind: 'worker', internalUrl: `http://127.0.0.1:${workerPort}`, process: worker },
        );
      }
    }
    return servers;
  }

  /** All services go to other databases when they start the next time. */
  useDatabases(databases: Databases): void {
    this.backing = { ...this.backing, databases };
    for (const app of APP_NAMES) this.settings[app]['DATABASE_URL'] = databases[app];
    for (const { app, process } of this.replicas) process.options.env['DATABASE_URL'] = databases[app];
  }

  /**
   * Ends and starts each process of a service, one after the other: first those that answer, which finish the requests
   * that they have, then its workers.
   */
  async roll(app: AppName): Promise<Roll[]> {
    const rolls: Roll[] = [];
    const ours = this.replicas.filter((replica) => replica.app === app);
    for (const { kind, process } of ours.sort((a, b) => a.kind.localeCompare(b.kind))) {
      const { name } = process;
      if (kind === 'http') await this.edge.takeOut(app, name);
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
      process.onDeath = ({ code, signal }) => {
        this.options.report(`${process.name} died with ${signal ?? `code ${code}`}, and is started again`);
        void this.startAgain(process);
      };
    }
  }

  /** A process that ends while it starts, because something below it fails, is started again, as everywhere. */
  async startAgain(process: ClusterProcess): Promise<void> {
    while (!this.isStopping) {
      try {
        await process.start();
        return this.options.report(`${process.name} is ready again`);
      } catch (error) {
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
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Builds the services and the libraries they use, where a source is newer than its build. */
async function buildServices(shell: NodeJS.ProcessEnv): Promise<void> {
  const projects = APP_NAMES.map((app) => `@evenkeel/${app}`).join(',');
  const args = ['run-many', '--target=build', `--projects=${projects}`, '--outputStyle=static'];
  // Its daemon would stay behind. Suites of two projects may use each other; what is built of them does not.
  const env = { ...shell, NX_DAEMON: 'false', NX_IGNORE_CYCLES: 'true' };
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/nx'), args, { cwd: ROOT, env }).catch((cause: Error) => {
    throw new Error('The build failed. Type "npm run build" to see why.', { cause });
  });
}

async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening').catch((cause: Error) => {
    throw new Error(
      `Port ${port} of 127.0.0.1 is taken by another process. Stop that one, or set PORT to a free one.`,
      {
        cause,
      },
    );
  });
  await new Promise((closed) => probe.close(closed));
}
