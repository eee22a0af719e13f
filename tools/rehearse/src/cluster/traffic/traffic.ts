import { setTimeout as sleep } from 'node:timers/promises';
import { Agents } from './agents';
import { Caller, type Targets } from './caller';
import { People } from './people';
import { Webhooks } from './webhooks';

/** Kinds of requests; each is one request, except `paid`, which asks for the price first. */
export const REQUEST_KINDS = [
  ...(['discovery', 'challenge', 'paid', 'repeat', 'credit'] as const),
  ...(['login', 'read', 'log', 'analyze', 'plan', 'register', 'checkout'] as const),
  ...(['webhook', 'summary'] as const),
];

export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Requests a second. */
export type Mix = Readonly<Partial<Record<RequestKind, number>>>;

/** The load that the product has to bear on two cores, stores included. */
export const LOAD_MIX: Mix = { discovery: 650, challenge: 500, credit: 100, login: 5, webhook: 100 };

/** 50 a second: paying agents, people, the provider's webhooks, an operator. */
export const STEADY_MIX: Mix = {
  discovery: 8,
  challenge: 6,
  paid: 8,
  repeat: 2,
  credit: 2,
  login: 2,
  read: 6,
  log: 5,
  analyze: 3,
  plan: 2,
  webhook: 5,
  summary: 1,
};

/** The same, with people who are new, and one who looks at the page to pay. */
export const WHOLE_MIX: Mix = { ...STEADY_MIX, register: 1, checkout: 1 };

/** The same shares, with another sum. */
export function scaledMix(mix: Mix, perSecond: number): Mix {
  const sum = Object.values(mix).reduce((total, rate) => total + rate, 0);
  return Object.fromEntries(Object.entries(mix).map(([kind, rate]) => [kind, (rate * perSecond) / sum]));
}

const TICK_MS = 2;
/** More than these would only wait in our own memory. */
const OPEN_MOST = 5_000;
const SENTENCES_KEPT = 1_000;

/** The outcomes of the requests of one kind. */
export interface KindResult {
  sent: number;
  /** From the moment for which it was planned to the whole answer, of each that was as expected, in milliseconds. */
  times: number[];
  /** When the last of these came, by `performance.now()`. */
  lastAt: number;
  /** How many were not as expected. */
  failed: number;
  /** A sentence for each of the first thousand of them. */
  failures: string[];
}

/** The outcome of one request. */
export interface Ending {
  kind: RequestKind;
  /** When it was sent, and how long it took, as `performance.now()` has it. */
  at: number;
  ms: number;
  /** Unless it was answered as expected: `WrongAnswer`, or what else went wrong. */
  error?: Error;
}

interface TrafficOptions {
  /** Of the callers, at most so many. */
  connections?: number;
  /** Called with each request when it has ended. */
  onEnding?: (ending: Ending) => void;
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

  constructor(
    targets: Targets,
    private readonly options: TrafficOptions = {},
  ) {
    const { connections = 64 } = options;
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
      plan: () => people.plan(),
      register: () => people.register(),
      checkout: () => people.checkout(),
      webhook: () => webhooks.webhook(),
      summary: () => caller.expect(200, '/v1/admin/revenue/summary', { headers: admin }),
    };
    this.results = Object.fromEntries(REQUEST_KINDS.map((kind) => [kind, nothingYet()])) as Record<
      RequestKind,
      KindResult
    >;
  }

  /** Accounts, subscriptions and whatever else requests of this traffic need. */
  async prepare(people: number): Promise<void> {
    await this.people.prepare(people);
    await this.webhooks.prepare();
  }

  /** Forgets what became of the requests so far. */
  clear(): void {
    for (const kind of REQUEST_KINDS) Object.assign(this.results[kind], nothingYet());
  }

  /** Payments and events without an answer are sent once more, as those do who sent them. */
  async repeatUnanswered(): Promise<void> {
    await Promise.all([this.agents.repeatUnanswered(), this.webhooks.repeatUnanswered()]);
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

  /** Timed from the planned moment: a caller comes when they come, however slow the answers to others are. */
  private send(kind: RequestKind, plannedAt: number): void {
    const result = this.results[kind];
    result.sent++;
    const at = performance.now();
    const ended = (error?: Error): number => {
      const now = performance.now();
      this.options.onEnding?.({ kind, at, ms: now - at, ...(error && { error }) });
      return now;
    };
    const work = this.open.size < OPEN_MOST ? this.requests[kind]() : Promise.reject(new TooManyOpen());
    const request = work.then(
      () => {
        result.lastAt = ended();
        result.times.push(result.lastAt - plannedAt);
      },
      (error: Error) => fail(result, error, ended(error) - plannedAt),
    );
    this.open.add(request);
    void request.then(() => this.open.delete(request));
  }
}

class TooManyOpen extends Error {
  constructor() {
    super(`not sent: ${OPEN_MOST} requests wait for their answers already`);
  }
}

function nothingYet(): KindResult {
  return { sent: 0, times: [], lastAt: 0, failed: 0, failures: [] };
}

function fail(result: KindResult, error: Error, ms: number): void {
  result.failed++;
  if (result.failures.length >= SENTENCES_KEPT) return;
  const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
  result.failures.push(`${new Date().toISOString()} after ${Math.round(ms)} ms: ${reason}`);
}
