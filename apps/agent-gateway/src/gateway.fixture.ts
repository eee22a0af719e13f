import type { PaidEndpoint } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { type ControlCommand, startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, type Reply } from '@evenkeel/platform/testing/service';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AgentGatewayConfig } from './config/agent-gateway.config';
import { Buyer, type SignedPayment } from './buyer.fixture';
import { ENTITIES, MIGRATIONS } from './database';
import { LedgerRows } from './ledger/claim.fixture';
import { analyze, base, noon, terms } from './payments/payment.fixture';
import { SettleCalls } from './payments/settle-payment';
import { AGENT_GATEWAY } from './service';

// Nest and PostgreSQL start within seconds, but not always within thirty on a busy machine.
jest.setTimeout(90_000);

/** For tests that count and measure no time: the machine may be busy. */
export const PATIENT = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };

export interface GatewayOptions {
  /** Settings other than those of every test. */
  settings?: Environment;
  /** The first gateway, whose database, facilitator and clock a second one shares. */
  besides?: Gateway;
  /** Reads the facilitator's chain; without it a person decides about uncertain payments. */
  chain?: boolean;
  /** Believes the silence of settle at once, for tests of what follows; other gateways wait three seconds for an answer. */
  silentAtOnce?: boolean;
  /** Run in the same process as the HTTP half. */
  modules?: DynamicModule['imports'];
  /** Every promise about money must hold at the end. */
  audited?: boolean;
  /** Before the gateway reads `/supported`. */
  prepare?: (facilitator: RunningFacilitator) => void;
}

export interface PaidRequest {
  endpoint?: PaidEndpoint;
  body?: unknown;
  headers?: Record<string, string>;
}

export type { Reply };

/** A gateway at noon over real HTTP, with its own database and the development facilitator; its clock does not move. */
export class Gateway {
  app!: NestFastifyApplication;
  running!: RunningHttp;
  database!: TestDatabase;
  facilitator!: RunningFacilitator;
  clock!: ManualClock;
  ledger!: LedgerRows;
  private isOpen = false;
  private isFirst = false;
  private isAudited = false;
  private readonly besides: Gateway[] = [];

  async start(options: GatewayOptions): Promise<this> {
    const { settings, besides, chain = false, silentAtOnce = false, modules = [], prepare } = options;
    const tables = { name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS };
    const clock = besides?.clock ?? new ManualClock(noon);
    this.clock = clock;
    this.database = besides?.database ?? (await createTestDatabase(tables));
    this.facilitator = besides?.facilitator ?? (await startFacilitator({ port: 0, chain: base, control: true, clock }));
    this.ledger = new LedgerRows(this.database.dataSource);
    prepare?.(this.facilitator);
    const config = loadConfig(AgentGatewayConfig, {
      PUBLIC_BASE_URL: terms.baseUrl,
      DATABASE_URL: this.database.url,
      FACILITATOR_URL: this.facilitator.url,
      X402_RPC_URL: chain ? this.facilitator.rpcUrl : 'none',
      X402_PAY_TO: terms.payTo,
      // The clock of tests does not move, and they call without limits; tests of the limits set their own scale.
      RATE_LIMIT_SCALE: '1000',
      ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      RECEIPT_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
      ...settings,
    });
    const { app, running } = await serveService(AGENT_GATEWAY, config, { clock, modules });
    if (silentAtOnce) app.get(SettleCalls).silentAfterMs = 0;
    Object.assign(this, { app, running, isOpen: true, isFirst: !besides, isAudited: options.audited });
    besides?.besides.push(this);
    return this;
  }

  /** Those beside it first. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.isAudited) await this.expectAudited();
    await Promise.all(this.besides.map((one) => one.close()));
    await this.running.close();
    if (!this.isFirst) return;
    await this.facilitator.close();
    await this.database.drop();
  }

  aBuyer(): Buyer {
    return new Buyer(this.clock);
  }

  send(path: string, init: RequestInit = {}): Promise<Reply> {
    return ask(this.running.url + path, init);
  }

  /** Calls an endpoint with a payment, by default with its example. */
  async pay(payment: SignedPayment | string, { endpoint = analyze, body, headers }: PaidRequest = {}): Promise<Reply> {
    const header = typeof payment === 'string' ? payment : payment.header;
    return this.send(endpoint.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-payment': header, ...headers },
      body: JSON.stringify(body ?? endpoint.exampleInput),
    });
  }

  /** The facilitator behaves so from now on. */
  control(command: ControlCommand): void {
    this.facilitator.control(command);
  }

  /** Calls to the facilitator about one payment. */
  callsAbout(nonce: string): { verify: number; settle: number; bodies: number } {
    const { verify = 0, settle = 0, bodies = 0 } = this.facilitator.ledger(nonce).payments[0] ?? {};
    return { verify, settle, bodies };
  }

  query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.ledger.dataSource.query<Row[]>(sql, values);
  }

  /** Once nothing is written in the background any more, every promise about money holds. */
  expectAudited(): Promise<void> {
    return eventually(async () => expect(await audit(this.ledger.dataSource)).toEqual([]));
  }
}

export function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return new Gateway().start(options);
}

/** A gateway for the tests of a file or a block: started before them, closed after them. Its facilitator works before each. */
export function aGateway(options: GatewayOptions | (() => GatewayOptions | Promise<GatewayOptions>) = {}): Gateway {
  const gateway = new Gateway();
  beforeAll(async () => void (await gateway.start(typeof options === 'function' ? await options() : options)));
  afterEach(() => gateway.control({ mode: 'ok', on: ['verify', 'settle', 'rpc'] }));
  afterAll(() => gateway.close());
  return gateway;
}

export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Calls one after the other. @returns their statuses */
export async function statusesOf(count: number, call: (index: number) => Promise<{ status: number }>) {
  const statuses: number[] = [];
  for (const index of upTo(count)) statuses.push((await call(index)).status);
  return statuses;
}
export const times = (count: number, status: number) => Array<number>(count).fill(status);
