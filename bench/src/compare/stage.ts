import { dirname, join } from 'node:path';
import { databaseOptions } from '@evenkeel/agent-gateway';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase } from '@evenkeel/services';
import type { PaymentVersion } from '../load/prepare-requests';
import type { Child } from '../processes/child';
import { listenLocally } from '../processes/listen-locally';
import { PostgresMeter } from '../processes/postgres-usage';
import { Scene } from '../processes/scene';
import { gatewaySettings } from '../sellers/gateway-settings';
import { PEERS } from '../sellers/peers';
import { ledgerOf, ProductEvents, startedAsProduct, wholeProduct } from './whole-product';

/** Our own seller among the others. */
export const GATEWAY = 'agent-gateway';

export const WITHOUT_LEDGER = `${GATEWAY} without ledger`;

/** The same gateway in a process of ours, once as it is. */
export const COUNTED = `${GATEWAY}, counting`;
export const UNCOUNTED = `${GATEWAY}, not counting`;
/** One request in a hundred, to a receiver that takes everything. */
export const TRACED = `${GATEWAY}, traced`;

/** The whole product in one process, with all that its other services do of a call. */
export const WHOLE = 'npm start';
/** The gateway as a part of it: compiled into one file as the product is, and as silent. */
export const ALONE = `${GATEWAY} alone`;

/** One row of a comparison: a seller, and how it is called. */
export interface Variant {
  name: string;
  seller: string;
  payment: PaymentVersion | null;
  expectedStatus: number;
}

export type Path = 'challenge' | 'paid' | 'whole' | 'observability';

const EXPRESS = '@x402/express';

/** What the others of a path are compared with. */
export const REFERENCES: Readonly<Record<Path, string>> = {
  challenge: EXPRESS,
  paid: EXPRESS,
  whole: EXPRESS,
  observability: UNCOUNTED,
};

export const OURS = GATEWAY;

export const VARIANTS: Readonly<Record<Path, readonly Variant[]>> = {
  challenge: [
    { name: OURS, seller: GATEWAY, payment: null, expectedStatus: 402 },
    { name: EXPRESS, seller: EXPRESS, payment: null, expectedStatus: 402 },
    { name: 'fastify echo', seller: 'fastify echo', payment: null, expectedStatus: 200 },
  ],
  // Each seller gets what the stock client of its protocol version sends it; ours takes both.
  paid: [
    { name: OURS, seller: GATEWAY, payment: 2, expectedStatus: 200 },
    { name: `${OURS}, version 1`, seller: GATEWAY, payment: 1, expectedStatus: 200 },
    { name: WITHOUT_LEDGER, seller: WITHOUT_LEDGER, payment: 2, expectedStatus: 200 },
    { name: EXPRESS, seller: EXPRESS, payment: 2, expectedStatus: 200 },
  ],
  whole: [WHOLE, ALONE, EXPRESS].map((name) => ({ name, seller: name, payment: 2, expectedStatus: 200 })),
  observability: [OURS, TRACED, COUNTED, UNCOUNTED].map((name) => ({
    ...{ name, seller: name, payment: 2, expectedStatus: 200 },
  })),
};

/** Everything that runs during a comparison, each part a process of its own. */
export class Stage extends Scene {
  readonly sellers = new Map<string, Child>();
  /** The database servers of those sellers whose figures include theirs. */
  readonly postgres = new Map<string, PostgresMeter>();
  stub!: Child;
  load!: Child;
  private events?: ProductEvents;

  /**
   * @param paths what is compared: no other seller is started
   * @param profileTo folder for CPU profiles of our gateway and of the product, written when they stop
   */
  static set(paths: readonly Path[], profileTo?: string): Promise<Stage> {
    const stage = new Stage();
    const sellers = new Set(paths.flatMap((path) => VARIANTS[path].map(({ seller }) => seller)));
    return stage.opened(() => stage.open(sellers, profileTo));
  }

  /** What a seller does behind its answers belongs to its calls. */
  async workIsDone(seller: string): Promise<void> {
    if (seller === WHOLE) await this.events!.allRead();
  }

  private async open(sellers: ReadonlySet<string>, profileTo?: string): Promise<void> {
    const databaseUrl = await this.openDatabase();
    this.stub = await this.start(require.resolve('../stub/main'));
    this.load = await this.start(require.resolve('../load/main'));
    const env = gatewaySettings(databaseUrl, this.stub.url);
    const main = join(dirname(require.resolve('@evenkeel/agent-gateway')), 'main');
    const nodeOptions = profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`];
    if (sellers.has(GATEWAY)) {
      this.sellers.set(GATEWAY, await this.start(main, { env, nodeOptions }));
      await this.meter(GATEWAY, databaseUrl);
    }
    if (sellers.has(WHOLE)) await this.openWhole(nodeOptions);
    if (sellers.has(ALONE)) {
      const alone = startedAsProduct('bench/src/sellers/counting/main.ts', 'on');
      this.sellers.set(ALONE, await this.start(alone.script, { ...alone.options, env, nodeOptions }));
      await this.meter(ALONE, databaseUrl);
    }
    const withoutLedger = () => this.start(require.resolve('../sellers/without-ledger/main'), { env });
    const counting = (is: string) => this.start(require.resolve('../sellers/counting/main'), { env, args: [is] });
    if (sellers.has(WITHOUT_LEDGER)) this.sellers.set(WITHOUT_LEDGER, await withoutLedger());
    if (sellers.has(COUNTED)) this.sellers.set(COUNTED, await counting('on'));
    if (sellers.has(UNCOUNTED)) this.sellers.set(UNCOUNTED, await counting('off'));
    if (sellers.has(TRACED))
      this.sellers.set(TRACED, await this.start(main, { env: { ...env, ...(await this.tracing()) } }));
    for (const name of Object.keys(PEERS).filter((peer) => sellers.has(peer))) {
      this.sellers.set(name, await this.start(require.resolve('../sellers/main'), { args: [name, this.stub.url] }));
    }
  }

  private async openWhole(nodeOptions: readonly string[]): Promise<void> {
    const dataDir = this.folderOfDatabase('whole');
    const { script, options } = wholeProduct(dataDir, this.stub.url);
    this.sellers.set(WHOLE, await this.start(script, { ...options, nodeOptions }));
    const ledgerUrl = ledgerOf(dataDir);
    await this.meter(WHOLE, ledgerUrl);
    const events = await ProductEvents.open(ledgerUrl);
    this.events = events;
    this.closeLater(() => events.close());
  }

  private async meter(seller: string, databaseUrl: string): Promise<void> {
    const meter = await PostgresMeter.open(databaseUrl);
    this.postgres.set(seller, meter);
    this.closeLater(() => meter.close());
  }

  private async tracing(): Promise<Record<string, string>> {
    const { url, server } = await listenLocally((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    this.closeLater(() => server.close().closeAllConnections());
    return { OTEL_EXPORTER_OTLP_ENDPOINT: url, TRACE_SAMPLE_RATIO: '0.01' };
  }

  private async openDatabase(): Promise<string> {
    const databaseUrl = await ensureDatabase(await this.startPostgres(), 'bench');
    await migrate(databaseOptions({ DATABASE_URL: databaseUrl }));
    return databaseUrl;
  }
}
