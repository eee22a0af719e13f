import { setTimeout as sleep } from 'node:timers/promises';
import { Agents } from './agents';
import { Caller, type Targets } from './caller';
import { REQUEST_KINDS, type Mix, type RequestKind } from './mix';
import { People } from './people';
import { Webhooks } from './webhooks';

const TICK_MS = 10;

/** What became of the requests of one kind. */
export interface KindResult {
  sent: number;
  /** From sending to the whole answer, of each that was as expected, in milliseconds. */
  times: number[];
  /** One sentence for each that was not. */
  failures: string[];
}

/** Callers of all kinds, at a rate that does not depend on how fast they are answered. */
export class Traffic {
  readonly agents: Agents;
  readonly people: People;
  readonly webhooks: Webhooks;
  readonly results: Record<RequestKind, KindResult>;
  private readonly caller: Caller;
  private readonly open = new Set<Promise<void>>();
  private readonly requests: Record<RequestKind, () => Promise<unknown>>;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(targets: Targets, { connections = 64 }: { connections?: number } = {}) {
    const caller = (this.caller = new Caller(targets.url, connections));
    const agents = (this.agents = new Agents(caller, targets.url));
    const people = (this.people = new People(caller));
    const webhooks = (this.webhooks = new Webhooks(caller, targets));
    const admin = { 'x-admin-token': targets.adminToken };
    this.requests = {
      discovery: () => agents.discovery(),
      challenge: () => agents.challenge(),
      paid: () => agents.pay(),
      repeat: () => agents.repeat(),
      credit: () => agents.credit(),
      login: () => people.login(),
      read: () => people.read(),
      log: () => people.log(),
      analyze: () => people.analyze(),
      webhook: () => webhooks.webhook(),
      summary: () => caller.expect(200, '/v1/admin/revenue/summary', { headers: admin }),
    };
    this.results = Object.fromEntries(
      REQUEST_KINDS.map((kind) => [kind, { sent: 0, times: [], failures: [] }]),
    ) as unknown as Record<RequestKind, KindResult>;
  }

  /** Accounts, subscriptions and whatever else requests of this traffic need. */
  async prepare(people: number): Promise<void> {
    await this.people.prepare(people);
    await this.webhooks.prepare();
  }

  /** Sends until `stop`. */
  start(mix: Mix): void {
    this.stopped = false;
    this.running = this.run(mix);
  }

  /** Sends nothing more; resolves when every request has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.caller.close();
  }

  get failures(): string[] {
    return Object.entries(this.results).flatMap(([kind, { failures }]) => failures.map((text) => `${kind}: ${text}`));
  }

  private async run(mix: Mix): Promise<void> {
    const begun = performance.now();
    const sent = new Map<RequestKind, number>();
    while (!this.stopped) {
      const seconds = (performance.now() - begun) / 1_000;
      for (const [kind, perSecond] of Object.entries(mix) as [RequestKind, number][]) {
        const due = Math.floor(seconds * perSecond);
        for (let number = sent.get(kind) ?? 0; number < due; number++) this.send(kind);
        sent.set(kind, due);
      }
      await sleep(TICK_MS);
    }
  }

  private send(kind: RequestKind): void {
    const result = this.results[kind];
    result.sent++;
    const at = performance.now();
    const request = this.requests[kind]().then(
      () => void result.times.push(performance.now() - at),
      (error: Error) => {
        const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
        result.failures.push(`${new Date().toISOString()} after ${Math.round(performance.now() - at)} ms: ${reason}`);
      },
    );
    this.open.add(request);
    void request.then(() => this.open.delete(request));
  }
}
