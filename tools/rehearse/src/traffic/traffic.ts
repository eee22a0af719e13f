import { setTimeout as sleep } from 'node:timers/promises';
import type { AppName } from '@evenkeel/contracts';
import { Agents } from './agents';
import { Caller, type Targets } from './caller';
import { People } from './people';
import { Webhooks } from './webhooks';

export type Thing = `${AppName}-database` | 'redis' | 'kafka' | 'facilitator' | 'stripe';

interface RequestOf {
  send: (traffic: Traffic) => Promise<unknown>;
  /** The things that it cannot be answered without. Whatever else fails, it is answered as ever. */
  needs: readonly Thing[];
  /** A second, among 52 of agents, people, the provider and an operator. */
  steady: number;
  /** A second, of the load that two cores have to bear, stores included. */
  load?: number;
}

/** Repeats and credits buy, where there is nothing to repeat or no credit to spend. */
const PAID: readonly Thing[] = ['agent-gateway-database', 'facilitator'];
const PEOPLE: readonly Thing[] = ['accounts-database'];

/** Every kind of request; each is one, except `paid`, which asks for the price first. */
const REQUESTS = {
  discovery: { send: ({ agents }) => agents.discovery(), needs: [], steady: 8, load: 650 },
  challenge: { send: ({ agents }) => agents.challenge(), needs: [], steady: 6, load: 500 },
  paid: { send: ({ agents }) => agents.pay(), needs: PAID, steady: 8 },
  repeat: { send: ({ agents }) => agents.repeat(), needs: PAID, steady: 2 },
  credit: { send: ({ agents }) => agents.credit(), needs: PAID, steady: 2, load: 100 },
  login: { send: ({ people }) => people.login(), needs: PEOPLE, steady: 2, load: 5 },
  read: { send: ({ people }) => people.read(), needs: PEOPLE, steady: 6 },
  log: { send: ({ people }) => people.log(), needs: PEOPLE, steady: 5 },
  analyze: { send: ({ people }) => people.analyze(), needs: PEOPLE, steady: 3 },
  register: { send: ({ people }) => people.register(), needs: PEOPLE, steady: 1 },
  plan: { send: ({ people }) => people.plan(), needs: ['billing-database'], steady: 2 },
  checkout: { send: ({ people }) => people.checkout(), needs: ['billing-database', 'stripe'], steady: 1 },
  webhook: { send: ({ webhooks }) => webhooks.webhook(), needs: ['billing-database'], steady: 5, load: 100 },
  summary: { send: (traffic) => traffic.summary(), needs: ['reporting-database'], steady: 1 },
} satisfies Record<string, RequestOf>;

export type RequestKind = keyof typeof REQUESTS;
export const KINDS = Object.keys(REQUESTS) as RequestKind[];
export const kindOf = (kind: RequestKind): RequestOf => REQUESTS[kind];

export type Mix = Readonly<Partial<Record<RequestKind, number>>>;

/** Requests of all kinds but some, so many a second together. */
export function steadyMix(perSecond: number, without: readonly RequestKind[] = []): Mix {
  const kinds = KINDS.filter((kind) => !without.includes(kind));
  const sum = kinds.reduce((total, kind) => total + REQUESTS[kind].steady, 0);
  return Object.fromEntries(kinds.map((kind) => [kind, (REQUESTS[kind].steady * perSecond) / sum]));
}

const TICK_MS = 2;
const REPEAT_EVERY_MS = 1_000;
/** More than these would only wait in our own memory. */
const OPEN_MOST = 5_000;

export interface Ending {
  kind: RequestKind;
  /** When it was sent, by `performance.now()`. */
  at: number;
  ms: number;
  /** From the moment for which it was planned: a caller comes when they come, however slow the answers to others are. */
  plannedMs: number;
  /** Unless it was answered as expected: `WrongAnswer`, or what else went wrong. */
  error?: Error;
}

/** Callers of all kinds, at a rate that does not depend on how fast they are answered. */
export class Traffic implements AsyncDisposable {
  readonly agents: Agents;
  readonly people: People;
  readonly webhooks: Webhooks;
  /** In the order in which the requests ended. */
  endings: Ending[] = [];
  private readonly caller: Caller;
  private readonly open = new Set<Promise<void>>();
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly targets: Targets) {
    this.caller = new Caller(targets.url);
    this.agents = new Agents(this.caller, targets.url);
    this.people = new People(this.caller);
    this.webhooks = new Webhooks(this.caller, targets);
  }

  /** Accounts, subscriptions and whatever else requests of this traffic need. */
  async prepare(people: number, visitors = 1): Promise<void> {
    await this.people.prepare(people, visitors);
    await this.webhooks.prepare();
    await this.agents.prepare();
  }

  /** The page of an operator. */
  async summary(): Promise<void> {
    const headers = { 'x-admin-token': this.targets.adminToken };
    await this.caller.expect(200, '/v1/admin/revenue/summary', { headers });
  }

  /** Payments and events without an answer are sent once more, as buyers and the provider do. */
  async repeatUnanswered(): Promise<void> {
    await Promise.all([this.agents.repeatUnanswered(), this.webhooks.repeatUnanswered()]);
  }

  /** Sends until `stop`. */
  start(mix: Mix): void {
    this.running = Promise.all([this.run(mix), this.repeat()]);
  }

  /** Sends nothing more; resolves when every request has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.caller.close();
  }

  private async repeat(): Promise<void> {
    for (; !this.stopped; await sleep(REPEAT_EVERY_MS)) await this.repeatUnanswered();
  }

  private async run(mix: Mix): Promise<void> {
    const begun = performance.now();
    const sent = new Map<RequestKind, number>();
    while (!this.stopped) {
      const passed = performance.now() - begun;
      for (const [kind, perSecond] of Object.entries(mix) as [RequestKind, number][]) {
        const everyMs = 1_000 / perSecond;
        const due = Math.floor(passed / everyMs + 0.5);
        for (let number = sent.get(kind) ?? 0; number < due; number++)
          this.send(kind, begun + (number + 0.5) * everyMs);
        sent.set(kind, due);
      }
      await sleep(TICK_MS);
    }
  }

  private send(kind: RequestKind, plannedAt: number): void {
    const at = performance.now();
    const ended = (error?: Error): void => {
      const now = performance.now();
      this.endings.push({ kind, at, ms: now - at, plannedMs: now - plannedAt, ...(error && { error }) });
    };
    if (this.open.size >= OPEN_MOST) return ended(new Error(`not sent: ${OPEN_MOST} requests wait for their answers`));
    const request = kindOf(kind)
      .send(this)
      .then(() => ended(), ended);
    this.open.add(request);
    void request.then(() => this.open.delete(request));
  }
}
