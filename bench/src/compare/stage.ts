import { databaseOptions } from '@evenkeel/agent-gateway';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase } from '@evenkeel/services';
import { dirname, join } from 'node:path';
import type { Child } from '../processes/child';
import { PostgresMeter } from '../processes/postgres-usage';
import { Scene } from '../processes/scene';
import { gatewaySettings } from '../sellers/gateway-settings';
import { PEERS } from '../sellers/peers';
import { GATEWAY, WITHOUT_LEDGER } from './variants';

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
