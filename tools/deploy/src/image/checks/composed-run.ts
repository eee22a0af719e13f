import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ComposeService } from '../compose/compose';
import { ownerOf } from '../compose/compose-rules';
import type { Container, RunningContainer } from '../performing/container';

/** The servers of the run, in place of those of compose. */
export interface Servers {
  postgres: string;
  redis: string;
  kafka: string;
}

export interface ComposedRunOptions {
  /** The workspace. */
  root: string;
  /** Empty; secrets go there. */
  folder: string;
  servers: Servers;
  /** Runs SQL on the maintenance database. */
  query: (sql: string) => Promise<unknown>;
}

/** Of programs that listen: free ones, and where a name of compose is not known here an address of this machine. */
const HERE: Readonly<Record<string, string>> = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' };
const FACILITATOR_HERE: Readonly<Record<string, string>> = { FACILITATOR_HOST: '127.0.0.1', FACILITATOR_PORT: '0' };
const STRIPE_HERE = ['main.js', '--host', '127.0.0.1', '--port', '0', '--json'];
const READY_WITHIN_MS = 120_000;
const POLL_MS = 250;
/** From SIGTERM to the exit of a program. */
const EXIT_WITHIN_MS = 15_000;

/** The services of compose.yaml in containers of ours, each with its own settings and secrets, one after the other. */
export class ComposedRun {
  /** What stands for an address within the network of compose. */
  private readonly addresses = new Map<string, string>();
  private readonly running = new Map<string, RunningContainer>();

  private constructor(private readonly options: ComposedRunOptions) {
    this.addresses.set('kafka:9092', options.servers.kafka);
  }

  /** Makes secrets and databases as the first start of compose does. */
  static async prepare(options: ComposedRunOptions): Promise<ComposedRun> {
    const { root, folder, servers, query } = options;
    // Those in it belong to the users of the containers.
    execFileSync('sh', [join(root, 'docker/secrets.sh'), folder]);
    execFileSync('chmod', ['755', folder]);
    for (const statement of readFileSync(join(folder, 'postgres/databases.sql'), 'utf8').trim().split('\n')) {
      await query(statement);
    }
    const { host } = new URL(servers.postgres);
    for (const service of ['agent-gateway', 'accounts', 'billing', 'reporting']) {
      const file = join(folder, service, 'database-url');
      writeFileSync(file, readFileSync(file, 'utf8').replace('postgres:5432', host));
      writeFileSync(join(folder, service, 'redis-url'), servers.redis);
    }
    return new ComposedRun(options);
  }

  /** Runs a job to its end. @throws Error with the end of its output */
  async job(service: ComposeService, container: Container): Promise<void> {
    const started = this.begin(service, container);
    const code = await started.untilEnded(READY_WITHIN_MS);
    if (code !== 0) throw new Error(`ended with ${code}: ${started.said}`);
  }

  /** Starts a program and waits until it is ready. @throws Error when it ends, or is not ready in time */
  async server(service: ComposeService, container: Container): Promise<void> {
    const started = this.begin(service, container);
    const { url = '', internalUrl } = await started.untilReady(READY_WITHIN_MS);
    if (url !== '') this.addresses.set(`http://${service.name}:`, here(url));
    if (internalUrl === undefined) return;
    const deadline = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const answer = await fetch(`${here(internalUrl)}/health/ready`);
      const text = await answer.text();
      if (answer.ok) return;
      // A reader of events joins its group after it has begun to listen.
      if (performance.now() > deadline) throw new Error(`says at /health/ready: ${answer.status} ${text}`);
      await sleep(POLL_MS);
    }
  }

  /** Sends SIGTERM to a program. @returns how long it took to exit. @throws Error when it exits with another code than 0 */
  async stop(name: string): Promise<number> {
    const started = this.running.get(name)!;
    const began = performance.now();
    started.signal('SIGTERM');
    const code = await started.untilEnded(EXIT_WITHIN_MS, 'exit after SIGTERM');
    if (code !== 0) throw new Error(`exits after SIGTERM with ${code}: ${started.said}`);
    return performance.now() - began;
  }

  /** For the end, whatever happened. */
  kill(): void {
    for (const started of this.running.values()) started.kill();
  }

  private begin(service: ComposeService, container: Container): RunningContainer {
    const { name, environment, command } = service;
    const translated = Object.entries(environment).map(([variable, value]) => [variable, this.translated(value)]);
    const own = name === 'facilitator' ? FACILITATOR_HERE : HERE;
    const env = { ...Object.fromEntries(translated), ...own } as Record<string, string>;
    const secrets = join(this.options.folder, ownerOf(name));
    if (service.mounts.length > 0) mkdirSync(secrets, { recursive: true });
    const started = container.start({
      env,
      command: name === 'stripe' ? STRIPE_HERE : command.length > 0 ? command : undefined,
      secrets: service.mounts.length > 0 ? secrets : undefined,
    });
    this.running.set(name, started);
    return started;
  }

  private translated(value: string): string {
    for (const [theirs, ours] of this.addresses) {
      if (!theirs.startsWith('http')) value = value.replace(theirs, ours);
      else if (value.startsWith(theirs)) value = value.replace(new RegExp(`^${theirs}\\d+`), ours);
    }
    return value;
  }
}

/** A program that listens on every address is asked at that of this machine. */
const here = (url: string): string => `http://127.0.0.1:${new URL(url).port}`;
