import { once } from 'node:events';
import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { freePort } from '@evenkeel/services';
import type { Addresses, Between } from '../cluster';

/**
 * The state of a line: `flowing`; `refused`: nobody listens, and what was open is broken; `hung`: connections are accepted and stay
 * open, and nothing moves until it flows again; `slow`: what the server says comes half a second later.
 */
export type LineState = 'flowing' | 'refused' | 'hung' | 'slow';

const SLOW_MS = 500;

/** TCP connections to one server, through a port of ours that may fail. */
export class Line {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private state: LineState = 'flowing';

  private constructor(
    /** On 127.0.0.1. */
    readonly port: number,
    private readonly target: { host: string; port: number },
  ) {}

  static async to(target: { host: string; port: number }): Promise<Line> {
    const line = new Line(await freePort(), target);
    await line.listen();
    return line;
  }

  async become(state: LineState): Promise<void> {
    const before = this.state;
    this.state = state;
    if (state === 'refused') return this.refuse();
    if (before === 'refused') await this.listen();
    for (const socket of this.sockets) {
      if (state === 'hung') socket.pause();
      else socket.resume();
    }
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true }, (client) => this.connect(client)).listen(
      this.port,
      '127.0.0.1',
    );
    await once(this.server, 'listening');
  }

  private async refuse(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  private connect(client: Socket): void {
    const server = createConnection({ ...this.target, allowHalfOpen: true });
    this.pass(client, server, () => 0);
    this.pass(server, client, () => (this.state === 'slow' ? SLOW_MS : 0));
  }

  private pass(from: Socket, to: Socket, delayMs: () => number): void {
    const inOrder = new InOrder();
    this.sockets.add(from);
    from.setNoDelay(true);
    if (this.state === 'hung') from.pause();
    from.on('data', (part) => inOrder.after(delayMs(), () => to.writable && to.write(part)));
    from.on('end', () => inOrder.after(delayMs(), () => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      inOrder.after(delayMs(), () => to.destroySoon());
    });
  }
}

/** Does things later, and none before the one that came first. */
class InOrder {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  after(ms: number, action: () => unknown): void {
    if (ms === 0 && this.waiting === 0) return void action();
    const at = performance.now() + ms;
    this.waiting++;
    this.last = this.last
      .then(() => sleep(Math.max(0, at - performance.now())))
      .then(() => {
        this.waiting--;
        action();
      });
  }
}

type Database = `${AppName}-database`;
const DATABASES = APP_NAMES.map((app): Database => `${app}-database`);

/** The servers that may fail below the services. */
export const THINGS = [...DATABASES, 'redis', 'kafka', 'facilitator', 'stripe', 'smtp'] as const;
export type Thing = (typeof THINGS)[number];

/** Lines between the services of a cluster and each thing that they stand on. */
export class Lines implements Between {
  private readonly lines = new Map<Thing, Line>();

  private constructor(readonly kafka: Between['kafka']) {}

  static async open(): Promise<Lines> {
    const port = await freePort();
    const line = await Line.to({ host: '127.0.0.1', port });
    const lines = new Lines({ port, advertisedPort: line.port });
    lines.lines.set('kafka', line);
    return lines;
  }

  async addresses(real: Addresses): Promise<Addresses> {
    const databases = {} as Record<AppName, string>;
    for (const app of APP_NAMES) databases[app] = await this.between(`${app}-database`, real.databases[app]);
    return {
      ...real,
      databases,
      kafka: `127.0.0.1:${this.kafka.advertisedPort}`,
      redis: await this.between('redis', real.redis),
      facilitator: await this.between('facilitator', real.facilitator),
      stripe: await this.between('stripe', real.stripe),
      smtp: await this.between('smtp', real.smtp),
    };
  }

  of(thing: Thing): Line {
    return this.lines.get(thing)!;
  }

  async close(): Promise<void> {
    await Promise.all([...this.lines.values()].map((line) => line.close()));
  }

  /** @returns the address of a server with the line's port in place of its own */
  private async between(thing: Thing, address: string): Promise<string> {
    const url = new URL(address);
    const line = await Line.to({ host: url.hostname, port: Number(url.port) });
    this.lines.set(thing, line);
    return address.replace(`${url.hostname}:${url.port}`, `127.0.0.1:${line.port}`);
  }
}
