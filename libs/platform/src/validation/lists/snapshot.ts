import type { DataSource, QueryRunner } from 'typeorm';
import type { Query } from './cursor';

/** A reader may be slow, but not for ever: it holds a connection and keeps the database from cleaning up. */
const IDLE_LIMIT = '60s';

/** One state of the database, on a connection of its own, for as long as it takes to send what is in it. */
export class Snapshot {
  readonly query: Query = (statement, values) => this.runner.manager.query(statement, values);

  private constructor(private readonly runner: QueryRunner) {}

  static async open(dataSource: DataSource): Promise<Snapshot> {
    const snapshot = new Snapshot(dataSource.createQueryRunner());
    try {
      await snapshot.begin();
      return snapshot;
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /** Ends what is read, wherever it is. */
  async close(): Promise<void> {
    if (this.runner.isTransactionActive) await this.runner.rollbackTransaction().catch(() => undefined);
    await this.runner.release();
  }

  private async begin(): Promise<void> {
    await this.runner.startTransaction('REPEATABLE READ');
    await this.runner.query('SET TRANSACTION READ ONLY');
    await this.runner.query(`SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}'`);
  }
}
