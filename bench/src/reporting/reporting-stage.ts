import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { migrate } from '@evenkeel/platform/persistence';
import { databaseOptions } from '@evenkeel/reporting';
import { seed } from '@evenkeel/seed';
import { ensureDatabase, startPostgres } from '@evenkeel/services';
import { SystemClock } from '@evenkeel/kernel';
import { Child } from '../processes/child';

const PAYMENTS_PER_WALLET = 50;
const DAYS = 365;

export interface Subject {
  payments: number;
  databaseUrl: string;
  app: Child;
}

/** One PostgreSQL with fsync; for each size a database with a year of payments, and reporting over it as in production. */
export class ReportingStage {
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  private readonly closers: (() => unknown)[] = [() => rmSync(this.folder, { recursive: true, force: true })];
  private serverUrl!: string;

  private constructor() {}

  static async set(): Promise<ReportingStage> {
    const stage = new ReportingStage();
    // Where this process is root, the server is another user, who must be able to enter.
    chmodSync(stage.folder, 0o711);
    const server = await startPostgres({ dataDir: join(stage.folder, 'postgres') });
    stage.closers.push(() => server.stop());
    stage.serverUrl = server.url;
    return stage;
  }

  /** With the tables of reporting, and nothing in them. */
  async emptyDatabase(name: string): Promise<string> {
    const url = await ensureDatabase(this.serverUrl, name);
    await migrate(databaseOptions({ DATABASE_URL: url }));
    return url;
  }

  async subject(payments: number, token: string): Promise<Subject> {
    const databaseUrl = await this.emptyDatabase(`reporting_${payments}`);
    const until = new SystemClock().now().toISOString().slice(0, 10);
    const wallets = Math.max(10, Math.floor(payments / PAYMENTS_PER_WALLET));
    await seed(databaseUrl, { payments, days: DAYS, wallets, seed: 1, until, replace: false }, () => undefined);
    const app = await Child.start(join(dirname(require.resolve('@evenkeel/reporting')), 'main'), {
      folder: this.folder,
      env: {
        ...{ DATABASE_URL: databaseUrl, ADMIN_TOKEN: token, NODE_ENV: 'production' },
        ...{ PORT: '0', INTERNAL_PORT: '0', RATE_LIMIT_SCALE: '1000000' },
      },
    });
    this.closers.push(() => app.stop());
    return { payments, databaseUrl, app };
  }

  /** In the opposite order; one that fails does not keep the others open. */
  async close(): Promise<void> {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) {
      await Promise.resolve(close()).catch((error: Error) => console.error(error.message));
    }
  }
}
