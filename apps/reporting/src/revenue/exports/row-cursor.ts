import type { DataSource, QueryRunner } from 'typeorm';

/** A reader may be slow, but not for ever: it holds a connection and keeps the database from cleaning up. */
const IDLE_LIMIT = '60s';

/** Rows of one state of the database, a few at a time, on a connection of its own. */
export class RowCursor<Row> {
  private constructor(private readonly runner: QueryRunner) {}

  static async open<Row>(dataSource: DataSource, statement: string, values: unknown[]): Promise<RowCursor<Row>> {
    const cursor = new RowCursor<Row>(dataSource.createQueryRunner());
    try {
      await cursor.begin(statement, values);
      return cursor;
    } catch (error) {
      await cursor.close();
      throw error;
    }
  }

  /** The next rows; empty at the end. */
  async next(count: number): Promise<Row[]> {
    return this.runner.manager.query<Row[]>(`FETCH ${count} FROM export`);
  }

  /** Ends the query, wherever it is. */
  async close(): Promise<void> {
    if (this.runner.isTransactionActive) await this.runner.rollbackTransaction().catch(() => undefined);
    await this.runner.release();
  }

  private async begin(statement: string, values: unknown[]): Promise<void> {
    await this.runner.startTransaction('REPEATABLE READ');
    await this.runner.query('SET TRANSACTION READ ONLY');
    await this.runner.query(`SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}'`);
    await this.runner.query(`DECLARE export NO SCROLL CURSOR FOR ${statement}`, values);
  }
}
