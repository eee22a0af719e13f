import { dirname, join } from 'node:path';
import { migrate } from '@evenkeel/platform/persistence';
import { databaseOptions } from '@evenkeel/reporting';
import { seed } from '@evenkeel/ops/seed';
import { ensureDatabase } from '@evenkeel/services';
import { SystemClock } from '@evenkeel/kernel';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';

const PAYMENTS_PER_WALLET = 50;
const DAYS = 365;

export interface Subject {
  databaseUrl: string;
  app: Child;
}

interface Size {
  payments: number;
  /** People with them. */
  subscriptions: number;
}

/** One PostgreSQL with fsync; for each size a database with a year of payments and subscriptions, and reporting over it as in production. */
export class ReportingStage extends Scene {
  private serverUrl!: string;

  static set(): Promise<ReportingStage> {
    const stage = new ReportingStage();
    return stage.opened(async () => void (stage.serverUrl = await stage.startPostgres()));
  }

  /** With the tables of reporting, and nothing in them. */
  async emptyDatabase(name: string): Promise<string> {
    const url = await ensureDatabase(this.serverUrl, name);
    await migrate(databaseOptions({ DATABASE_URL: url }));
    return url;
  }

  async subject({ payments, subscriptions }: Size, token: string): Promise<Subject> {
    const databaseUrl = await this.emptyDatabase(`reporting_${payments}`);
    const until = new SystemClock().now().toISOString().slice(0, 10);
    const wallets = Math.max(10, Math.floor(payments / PAYMENTS_PER_WALLET));
    const options = { payments, subscriptions, days: DAYS, wallets, seed: 1, until, replace: false };
    await seed(databaseUrl, options, () => undefined);
    const app = await this.start(join(dirname(require.resolve('@evenkeel/reporting')), 'main'), {
      env: {
        ...{ DATABASE_URL: databaseUrl, ADMIN_TOKEN: token, NODE_ENV: 'production' },
        ...{ PORT: '0', INTERNAL_PORT: '0', RATE_LIMIT_SCALE: '1000000' },
      },
    });
    return { databaseUrl, app };
  }
}
