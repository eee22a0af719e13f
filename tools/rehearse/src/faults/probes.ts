import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, type Ending, type RequestKind, type Targets } from '../cluster';
import type { Thing } from './lines';

export type Kind = RequestKind | ProbeKind;

/** What a request cannot be answered without. Whatever else fails, it is answered as ever. */
export const NEEDS: Readonly<Record<Kind, readonly Thing[]>> = {
  discovery: [],
  challenge: [],
  paid: ['agent-gateway-database', 'facilitator'],
  repeat: ['agent-gateway-database'],
  credit: ['agent-gateway-database'],
  login: ['accounts-database'],
  read: ['accounts-database'],
  log: ['accounts-database'],
  analyze: ['accounts-database'],
  webhook: ['billing-database'],
  summary: ['reporting-database'],
  register: ['accounts-database'],
  plan: ['billing-database'],
  checkout: ['billing-database', 'stripe'],
};

/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
export const PAID_KINDS: readonly Kind[] = ['paid', 'repeat', 'credit'];

/** Buys, where there is nothing to repeat or no credit to spend. */
export function needs(kind: Kind, thing: Thing): boolean {
  if (kind === 'repeat' || kind === 'credit') return NEEDS.paid.includes(thing);
  return NEEDS[kind].includes(thing);
}

export const PROBE_KINDS = ['register', 'checkout'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

const EVERY_MS = 1_000;
const PASSWORD = 'a long walk by the sea';

/** Requests that the mix of a day has none of: new people, who get a mail each, and one who looks at the page to pay. */
export class Probes {
  /** Addresses of those whose registration was answered. */
  readonly registered: string[] = [];
  private readonly caller: Caller;
  private shopper = '';
  private stopped = true;
  private readonly open = new Set<Promise<void>>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    { url }: Targets,
    private readonly onEnding: (ending: Omit<Ending, 'kind'> & { kind: ProbeKind }) => void,
  ) {
    this.caller = new Caller(url);
  }

  async prepare(): Promise<void> {
    this.shopper = await this.register();
  }

  /** Each kind once a second, until `stop`. */
  start(): void {
    this.stopped = false;
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.open);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.caller.close();
  }

  private async run(): Promise<void> {
    const headers = { authorization: `Bearer ${this.shopper}` };
    const body = { plan: 'premium_yearly' };
    while (!this.stopped) {
      this.send('register', this.register());
      this.send('checkout', this.caller.expect(201, '/v1/billing/checkout', { method: 'POST', headers, body }));
      await sleep(EVERY_MS);
    }
  }

  private send(kind: ProbeKind, request: Promise<unknown>): void {
    const at = performance.now();
    const ended = (error?: Error): void =>
      this.onEnding({ kind, at, ms: performance.now() - at, ...(error && { error }) });
    const open = request.then(() => ended(), ended);
    this.open.add(open);
    void open.then(() => this.open.delete(open));
  }

  /** @returns an access token */
  private async register(): Promise<string> {
    const email = `${randomUUID()}@example.com`;
    const body = { email, password: PASSWORD };
    const { text } = await this.caller.expect(201, '/v1/auth/register', { method: 'POST', body });
    this.registered.push(email);
    return (JSON.parse(text) as { accessToken: string }).accessToken;
  }
}
