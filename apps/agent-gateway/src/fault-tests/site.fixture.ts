import { SettleCalls } from '../payments/settle-payment';
import { CrashPoints } from '../config/crash-points';
import type { SignedPayment } from '../buyer.fixture';
import { AgentGatewayConfig, type CrashPoint } from '../config/agent-gateway.config';
import { eventually, DatabaseLine } from '@evenkeel/platform/testing';
import { recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { analyze, otherBody } from '../payments/payment.fixture';

/** X is the body that is sent first and repeated, Y another body with the same payment. */
export type Request = 'X' | 'Y';
export const BODIES: Record<Request, unknown> = { X: analyze.exampleInput, Y: otherBody };

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
    const results = { X: '', Y: '' };
    const fingerprints = { X: '', Y: '' };
    for (const request of ['X', 'Y'] as const) {
      const payment = await worker.aBuyer().sign();
      results[request] = (await worker.pay(payment, { body: BODIES[request] })).text;
      fingerprints[request] = (await worker.ledger.payment(payment.nonce)).fingerprint;
    }
    return new Site(worker, replicas, results, fingerprints);
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
    await Promise.all(this.replicas.map(({ line }) => line.quiet()));
    await eventually(async () => expect(await this.worker.query(RUNNING)).toEqual([]));
    this.worker.clock.advanceMs(durationMs);
    await this.worker.ledger.ageClaims(durationMs);
  }

  /** @param budgetMs of answers from now on */
  async healed(budgetMs: number): Promise<void> {
    this.worker.facilitator.control({ mode: 'ok' });
    for (const place of this.replicas.keys()) (await this.replica(place)).healed(budgetMs);
  }

  requestOf(fingerprint: string): Request {
    return fingerprint === this.fingerprints.X ? 'X' : 'Y';
  }

  async close(): Promise<void> {
    await Promise.all([...this.replicas.map((replica) => replica.close()), ...this.dead]);
    await this.worker.close();
  }
}

/** Shorter than settings allow, so that the test does not wait long for answers that never come. */
export const BUDGET_MS = 500;
const SILENT_AFTER_MS = 200;
const SETTINGS = {
  FACILITATOR_VERIFY_TIMEOUT_MS: '200',
  FACILITATOR_SETTLE_TIMEOUT_MS: '600',
  RATE_LIMIT_SCALE: '1000',
};

/** A gateway from the view of its client: it answers, or it dies without an answer. */
export class Replica {
  isDead = false;
  private onDeath!: () => void;
  private readonly death = new Promise<null>((resolve) => (this.onDeath = () => resolve(null)));
  private crashAt: CrashPoint | null = null;

  private constructor(
    private readonly gateway: Gateway,
    readonly line: DatabaseLine,
  ) {
    this.answerWithin(BUDGET_MS);
    gateway.app.get(SettleCalls).silentAfterMs = SILENT_AFTER_MS;
    gateway.app.get(CrashPoints).pass = (point) => this.pass(point);
  }

  static async start(besides: Gateway): Promise<Replica> {
    const line = await DatabaseLine.to(besides.database.url);
    const settings = { ...SETTINGS, DATABASE_URL: line.url };
    return new Replica(await startGateway({ besides, chain: true, settings }), line);
  }

  /** Null when the gateway dies before it answers. */
  pay(payment: SignedPayment, body: unknown): Promise<Reply | null> {
    const reply = this.gateway.pay(payment, { body });
    reply.catch(() => undefined);
    return Promise.race([this.death, reply]);
  }

  dieAt(point: CrashPoint): void {
    this.crashAt = point;
  }

  healed(budgetMs: number): void {
    this.crashAt = null;
    this.line.lose(null);
    this.answerWithin(budgetMs);
  }

  private answerWithin(budgetMs: number): void {
    Object.assign(this.gateway.app.get(AgentGatewayConfig), { PAID_ANSWER_BUDGET_MS: budgetMs });
  }

  /** From now on it reaches neither the ledger nor its clients: for all others that is a killed process. */
  die(): void {
    this.isDead = true;
    this.line.cut();
    this.onDeath();
  }

  /** Closes the gateway of a dead replica. */
  async close(): Promise<void> {
    this.die();
    await this.gateway.close();
  }

  private pass(point: CrashPoint): void {
    if (point !== this.crashAt) return;
    this.die();
    throw new Error(`killed at ${point}`);
  }
}
