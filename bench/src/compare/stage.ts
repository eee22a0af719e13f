import { dirname, join } from 'node:path';
import { databaseOptions } from '@evenkeel/agent-gateway';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase } from '@evenkeel/services';
import type { PaymentVersion } from '../load/prepare-requests';
import type { Child } from '../processes/child';
import { PostgresMeter } from '../processes/postgres-usage';
import { Scene } from '../processes/scene';
import { gatewaySettings } from '../sellers/gateway-settings';
import { PEERS } from '../sellers/peers';

/** Our own seller among the others. */
export const GATEWAY = 'agent-gateway';

export const WITHOUT_LEDGER = `${GATEWAY} without ledger`;

/** One row of a comparison: a seller, and how it is called. */
export interface Variant {
  name: string;
  seller: string;
  payment: PaymentVersion | null;
  expectedStatus: number;
}

export type Path = 'challenge' | 'paid';

/** What the others are compared with. */
export const REFERENCE = '@x402/express';

export const OURS = GATEWAY;

export const VARIANTS: Readonly<Record<Path, readonly Variant[]>> = {
  challenge: [
    { name: OURS, seller: GATEWAY, payment: null, expectedStatus: 402 },
    { name: REFERENCE, seller: REFERENCE, payment: null, expectedStatus: 402 },
    { name: 'x402-express', seller: 'x402-express', payment: null, expectedStatus: 402 },
    { name: 'fastify echo', seller: 'fastify echo', payment: null, expectedStatus: 200 },
  ],
  // Each seller gets what the stock client of its protocol version sends it; ours takes both.
  paid: [
    { name: OURS, seller: GATEWAY, payment: 2, expectedStatus: 200 },
    { name: `${OURS}, version 1`, seller: GATEWAY, payment: 1, expectedStatus: 200 },
    { name: WITHOUT_LEDGER, seller: WITHOUT_LEDGER, payment: 2, expectedStatus: 200 },
    { name: REFERENCE, seller: REFERENCE, payment: 2, expectedStatus: 200 },
    { name: 'x402-express', seller: 'x402-express', payment: 1, expectedStatus: 200 },
  ],
};

/** Everything that runs during a comparison, each part a process of its own. */
export class Stage extends Scene {
  readonly sellers = new Map<string, Child>();
  stub!: Child;
  load!: Child;
  postgres!: PostgresMeter;

  /** @param profileTo folder for a CPU profile of our gateway, written when it stops */
  static set(profileTo?: string): Promise<Stage> {
    const stage = new Stage();
    return stage.opened(() => stage.open(profileTo));
  }

  private async open(profileTo?: string): Promise<void> {
    const databaseUrl = await this.openDatabase();
    this.stub = await this.start(require.resolve('../stub/main'));
    this.load = await this.start(require.resolve('../load/main'));
    const env = gatewaySettings(databaseUrl, this.stub.url);
    const gateway = await this.start(join(dirname(require.resolve('@evenkeel/agent-gateway')), 'main'), {
      env,
      nodeOptions: profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`],
    });
    this.sellers.set(GATEWAY, gateway);
    this.sellers.set(WITHOUT_LEDGER, await this.start(require.resolve('../sellers/without-ledger/main'), { env }));
    for (const name of Object.keys(PEERS)) {
      this.sellers.set(name, await this.start(require.resolve('../sellers/main'), { args: [name, this.stub.url] }));
    }
  }

  private async openDatabase(): Promise<string> {
    const databaseUrl = await ensureDatabase(await this.startPostgres(), 'bench');
    await migrate(databaseOptions({ DATABASE_URL: databaseUrl }));
    this.postgres = await PostgresMeter.open(databaseUrl);
    this.closeLater(() => this.postgres.close());
    return databaseUrl;
  }
}
