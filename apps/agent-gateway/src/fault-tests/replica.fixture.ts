import { DatabaseLine, type Loss } from '@evenkeel/platform/testing';
import { AgentGatewayConfig, type CrashPoint } from '../config/agent-gateway.config';
import type { SignedPayment } from '../buyer.fixture';
import { CrashPoints } from '../config/crash-points';
import { SettleCalls } from '../payments/settle-payment';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';

/** Shorter than settings allow, so that the test does not wait long for answers that never come. */
const BUDGET_MS = 500;
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
    private readonly line: DatabaseLine,
  ) {
    Object.assign(gateway.app.get(AgentGatewayConfig), { PAID_ANSWER_BUDGET_MS: BUDGET_MS });
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

  lose(statement: string, loss: Loss): void {
    this.line.lose({ statement, loss });
  }

  /** Waits until no statement is running that its gateway has given up. */
  quiet(): Promise<void> {
    return this.line.quiet();
  }

  dieAt(point: CrashPoint): void {
    this.crashAt = point;
  }

  healed(): void {
    this.crashAt = null;
    this.line.lose(null);
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
