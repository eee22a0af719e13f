import type { PaidEndpoint } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
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
  readonly ledger: LedgerRows;

  constructor(
    readonly app: NestFastifyApplication,
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    readonly facilitator: RunningFacilitator,
    readonly clock: ManualClock,
    private readonly isFirst: boolean,
  ) {
    this.ledger = new LedgerRows(database.dataSource);
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

  /** Calls to the facilitator about one payment. */
  callsAbout(nonce: string): { verify: number; settle: number; bodies: number } {
    const { verify = 0, settle = 0, bodies = 0 } = this.facilitator.ledger(nonce).payments[0] ?? {};
    return { verify, settle, bodies };
  }

  async close(): Promise<void> {
    await this.running.close();
    if (!this.isFirst) return;
    await this.facilitator.close();
    await this.database.drop();
  }
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { settings, besides, chain = false, silentAtOnce = false, modules = [], prepare } = options;
  const clock = besides?.clock ?? new ManualClock(noon);
  const tables = { name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS };
  const database = besides?.database ?? (await createTestDatabase(tables));
  const facilitator = besides?.facilitator ?? (await startFacilitator({ port: 0, chain: base, control: true, clock }));
  prepare?.(facilitator);
  const config = loadConfig(AgentGatewayConfig, {
    PUBLIC_BASE_URL: terms.baseUrl,
    DATABASE_URL: database.url,
    FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain ? facilitator.rpcUrl : 'none',
    X402_PAY_TO: terms.payTo,
    // The clock of tests does not move, and they call without limits; tests of the limits set their own scale.
    RATE_LIMIT_SCALE: '1000',
    ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    RECEIPT_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
    ...settings,
  });
  const { app, running } = await serveService(AGENT_GATEWAY, config, { clock, modules });
  if (silentAtOnce) app.get(SettleCalls).silentAfterMs = 0;
  return new Gateway(app, running, database, facilitator, clock, besides === undefined);
}
