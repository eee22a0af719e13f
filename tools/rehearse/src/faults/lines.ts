import { once } from 'node:events';
import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES } from '@evenkeel/contracts';
import { freePort } from '@evenkeel/services';
import type { Thing } from '../traffic/traffic';

/**
 * `refused`: nobody listens, and what was open is broken; `hung`: connections are accepted and stay open, and nothing moves until it is
 * over; `slow`: what the server says comes half a second later.
 */
export const FAULTS = ['refused', 'hung', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

const SLOW_MS = 500;

/** TCP connections to one server, through a port of ours that may fail. */
class Line {
  private server?: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private fault?: Fault | undefined;

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

  async become(fault: Fault | undefined): Promise<void> {
    const before = this.fault;
    this.fault = fault;
    if (fault === 'refused') return this.refuse();
    if (before === 'refused') await this.listen();
    for (const socket of this.sockets) {
      if (fault === 'hung') socket.pause();
      else socket.resume();
    }
  }

  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      const server = createConnection({ ...this.target, allowHalfOpen: true });
      this.pass(client, server, false);
      this.pass(server, client, true);
    });
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
  }

  async refuse(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  private pass(from: Socket, to: Socket, isAnswer: boolean): void {
    let last: Promise<unknown> = Promise.resolve();
    /** Later while the line is slow, and not before what came first. */
    const inOrder = (action: () => unknown): void => {
      const at = performance.now() + (isAnswer && this.fault === 'slow' ? SLOW_MS : 0);
      last = last.then(async () => {
        const waitMs = at - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        action();
      });
    };
    this.sockets.add(from);
    from.setNoDelay(true);
    if (this.fault === 'hung') from.pause();
    from.on('data', (part) => inOrder(() => to.writable && to.write(part)));
    from.on('end', () => inOrder(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      inOrder(() => to.destroySoon());
    });
  }
}

export const THINGS: readonly Thing[] = [
  ...APP_NAMES.map((app) => `${app}-database` as const),
  'redis',
  'kafka',
  'facilitator',
  'stripe',
];

/** Lines between the services of a cluster and each thing that they stand on. */
export class Lines {
  private readonly lines = new Map<Thing, Line>();

  /** @param kafka where it listens, and the port that it says to its clients */
  private constructor(readonly kafka: { port: number; advertisedPort: number }) {}

  static async open(): Promise<Lines> {
    const port = await freePort();
    const line = await Line.to({ host: '127.0.0.1', port });
    const lines = new Lines({ port, advertisedPort: line.port });
    lines.lines.set('kafka', line);
    return lines;
  }

  /** Opens one. @returns the address of the server with the line's port in place of its own */
  async through(thing: Thing, address: string): Promise<string> {
    const { hostname, port } = new URL(address);
    const line = await Line.to({ host: hostname, port: Number(port) });
    this.lines.set(thing, line);
    return address.replace(`${hostname}:${port}`, `127.0.0.1:${line.port}`);
  }

  async fail(thing: Thing, fault: Fault, ms: number): Promise<void> {
    await this.lines.get(thing)!.become(fault);
    await sleep(ms);
    await this.lines.get(thing)!.become(undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.lines.values()].map((line) => line.refuse()));
  }
}
