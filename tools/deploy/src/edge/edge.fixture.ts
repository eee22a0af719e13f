import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { serve, type RunningHttp } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { eventually } from '@evenkeel/platform/testing';
import { startHaproxy } from '@evenkeel/services';
import { freePort } from '@evenkeel/services/free-port';
import { edgeConfiguration } from './edge-configuration';

/** A request as a replica received it. */
interface Seen {
  app: AppName;
  replica: number;
  method: string;
  target: string;
  headers: Record<string, string>;
  bytes: number;
  sha256: string;
}

/** Headers by which a test says how a replica answers: with a long header, not at all, or late. */
export const WISHES = { header: 'x-wish-header', reset: 'x-wish-reset', waitMs: 'x-wish-wait' } as const;

const logger = createLogger('test', { level: 'silent' });

/** One process of a service: a listener of the platform, with readiness and draining, that answers with what it saw. */
class Replica {
  readonly seen: Seen[] = [];
  isReady = true;
  private running?: RunningHttp;

  constructor(
    readonly app: AppName,
    readonly number: number,
    /** As a pod has one of its own. */
    readonly place: { host: string; port: number; internalPort: number },
  ) {}

  async start(): Promise<void> {
    const readiness = async () => ({ wanted: this.isReady });
    this.running = await serve(
      (incoming, response) => void this.answer(incoming, response),
      { ...this.place, internalHost: this.place.host, readiness, logger },
      async () => undefined,
    );
  }

  /** As SIGTERM does. */
  async stop(): Promise<void> {
    await this.running?.close();
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method, url: target, headers } = incoming;
    const body = await buffer(incoming);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const { app, number: replica } = this;
    const seen = { app, replica, method, target, headers, bytes: body.length, sha256 } as Seen;
    this.seen.push(seen);
    if (WISHES.reset in headers) return void socket.resetAndDestroy();
    const wished = 'w'.repeat(Number(headers[WISHES.header] ?? 0));
    const end = () => response.setHeader('x-wished', wished).end(JSON.stringify(seen));
    setTimeout(end, Number(headers[WISHES.waitMs] ?? 0));
  }
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  /** Of a replica; of the edge itself its error. */
  body: Partial<Seen> & { error?: string; details?: Record<string, unknown> };
}

/** HAProxy as Kubernetes has it, in front of two replicas of every service. */
export class TestEdge {
  /** Lines of HAProxy. */
  readonly log: string[] = [];
  private stop: () => Promise<void> = async () => undefined;

  private constructor(
    private readonly replicas: readonly Replica[],
    readonly port: number,
    readonly probePort: number,
  ) {}

  /** @param change of the text, such as shorter waits */
  static async start(change: (configuration: string) => string): Promise<TestEdge> {
    const ports = { port: await freePort(), internalPort: await freePort() };
    const network = `127.${randomInt(1, 255)}.${randomInt(255)}`;
    const replicas = APP_NAMES.flatMap((app, index) =>
      [1, 2].map((number) => new Replica(app, number, { host: `${network}.${2 * index + number}`, ...ports })),
    );
    const edge = new TestEdge(replicas, await freePort(), await freePort());
    await Promise.all(replicas.map((replica) => replica.start()));
    const places = APP_NAMES.map((app) => [app, edge.of(app).map(({ place }) => place)]);
    const configuration = edgeConfiguration({
      listen: `127.0.0.1:${edge.port}`,
      isBehindProxy: true,
      probePort: edge.probePort,
      servers: Object.fromEntries(places) as Parameters<typeof edgeConfiguration>[0]['servers'],
    });
    const haproxy = await startHaproxy(change(configuration), { onLine: (line) => edge.log.push(line) });
    edge.stop = () => haproxy.stop();
    return edge;
  }

  of(app: AppName): [Replica, Replica] {
    return this.replicas.filter((replica) => replica.app === app) as [Replica, Replica];
  }

  get seen(): Seen[] {
    return this.replicas.flatMap((replica) => replica.seen);
  }

  /** One request, by default GET and on a connection of its own, to the end of its answer. */
  async ask(path: string, options: RequestOptions & { body?: Buffer | string } = {}): Promise<Answer> {
    const { body, ...rest } = options;
    const sent = request({ host: '127.0.0.1', port: this.port, path, agent: false, maxHeaderSize: 65_536, ...rest });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const said = await text(response);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: (said.startsWith('{') ? JSON.parse(said) : {}) as Answer['body'] };
  }

  /** Until requests reach so many replicas of a service. */
  async serves(app: AppName, path: string, count: number): Promise<void> {
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => this.ask(path)));
      const numbers = new Set(answers.map(({ body }) => body.replica));
      return numbers.size === count && answers.every(({ status, body }) => status === 200 && body.app === app);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.stop(), ...this.replicas.map((replica) => replica.stop())]);
  }
}
