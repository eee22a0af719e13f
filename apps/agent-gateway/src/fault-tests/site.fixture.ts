import { eventually } from '@evenkeel/platform/testing';
import { recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import type { Request } from './reference-payment.fixture';
import { Replica } from './replica.fixture';

const OTHER_BODY = { habits: [{ name: 'Read', completion_rate: 0.5, current_streak: 1, best_streak: 4 }] };
export const BODIES: Record<Request, unknown> = { X: analyze.exampleInput, Y: OTHER_BODY };

/** Statements without an answer yet, of running and of killed gateways. */
const RUNNING = `
  SELECT query FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`;

/** Two replicas that may be killed and a worker that is never killed, with one ledger, facilitator and chain. */
export class Site {
  private readonly dead: Promise<void>[] = [];

  private constructor(
    readonly worker: Gateway,
    private readonly replicas: Replica[],
    /** The answer to each request. */
    readonly results: Record<Request, string>,
    private readonly fingerprints: Record<Request, string>,
  ) {}

  static async open(): Promise<Site> {
    const worker = await startGateway({ chain: true, modules: recoveryByHand });
    const replicas = [await Replica.start(worker), await Replica.start(worker)];
    const results: Partial<Record<Request, string>> = {};
    const fingerprints: Partial<Record<Request, string>> = {};
    for (const request of ['X', 'Y'] as const) {
      const payment = await worker.aBuyer().sign();
      results[request] = (await worker.pay(payment, { body: BODIES[request] })).text;
      fingerprints[request] = (await worker.ledger.payment(payment.nonce)).fingerprint;
    }
    return new Site(worker, replicas, results as Record<Request, string>, fingerprints as Record<Request, string>);
  }

  /** The replica of this place; a new one when it has died. */
  async replica(place: number): Promise<Replica> {
    const replica = this.replicas[place]!;
    if (!replica.isDead) return replica;
    this.dead.push(replica.close());
    return (this.replicas[place] = await Replica.start(this.worker));
  }

  /** Lets time pass. A statement that was given up, or whose gateway died, ends within seconds, so that comes first. */
  async pass(durationMs: number): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.quiet()));
    await eventually(async () => expect(await this.worker.ledger.dataSource.query(RUNNING)).toEqual([]));
    this.worker.clock.advanceMs(durationMs);
    await this.worker.ledger.ageClaims(durationMs);
  }

  healed(): void {
    this.worker.facilitator.control({ mode: 'ok' });
    for (const replica of this.replicas) replica.healed();
  }

  requestOf(fingerprint: string): Request {
    return fingerprint === this.fingerprints.X ? 'X' : 'Y';
  }

  async close(): Promise<void> {
    await Promise.all([...this.replicas.map((replica) => replica.close()), ...this.dead]);
    await this.worker.close();
  }
}
