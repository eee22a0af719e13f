import { databaseOptions } from '@evenkeel/agent-gateway';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase, startPostgres } from '@evenkeel/services';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Child, type ChildOptions } from '../processes/child';
import { PostgresMeter } from '../processes/postgres-usage';
import { gatewaySettings } from '../sellers/gateway-settings';
import { PEERS } from '../sellers/peers';
import { GATEWAY, WITHOUT_LEDGER } from './variants';

/** Everything that runs during a comparison, each part a process of its own. */
export class Stage {
  readonly sellers = new Map<string, Child>();
  stub!: Child;
  load!: Child;
  postgres!: PostgresMeter;
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  private readonly closers: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];

  private constructor() {}

  /** @param profileTo folder for a CPU profile of our gateway, written when it stops */
  static async set(profileTo?: string): Promise<Stage> {
    const stage = new Stage();
    try {
      await stage.open(profileTo);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  /** In the opposite order; one that fails does not keep the others open. */
  async close(): Promise<void> {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) {
      await Promise.resolve(close()).catch((error: Error) => console.error(error.message));
    }
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

  /** With fsync, as in production. */
  private async openDatabase(): Promise<string> {
    // Where this process is root, the server is another user, who must be able to enter.
    chmodSync(this.folder, 0o711);
    const server = await startPostgres({ dataDir: join(this.folder, 'postgres') });
    this.closers.push(() => server.stop());
    const databaseUrl = await ensureDatabase(server.url, 'bench');
    await migrate(databaseOptions({ DATABASE_URL: databaseUrl }));
    this.postgres = await PostgresMeter.open(databaseUrl);
    this.closers.push(() => this.postgres.close());
    return databaseUrl;
  }

  private async start(script: string, options: Omit<ChildOptions, 'folder'> = {}): Promise<Child> {
    const child = await Child.start(script, { folder: this.folder, ...options });
    this.closers.push(() => child.stop());
    return child;
  }
}
