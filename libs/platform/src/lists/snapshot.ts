import type { DataSource, QueryRunner } from 'typeorm';

/** A reader may be slow, but not for ever: it holds a connection and keeps the database from cleaning up. */
const IDLE_LIMIT = '60s';

/** One state of the database, on a connection of its own, for as long as it takes to send what is in it. */
export class Snapshot {
  private cursors = 0;

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

  async query<Row>(statement: string, values: unknown[]): Promise<Row[]> {
    return this.runner.manager.query<Row[]>(statement, values);
  }

  /** @returns the name of a cursor over the rows */
  async declare(statement: string, values: unknown[]): Promise<string> {
    const cursor = `rows_${++this.cursors}`;
    await this.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${statement}`, values);
    return cursor;
  }

  /** The next rows; empty at the end. */
  fetch<Row>(cursor: string, count: number): Promise<Row[]> {
    return this.query<Row>(`FETCH ${count} FROM ${cursor}`, []);
  }

  /** All rows, so many at a time. */
  async *pages<Row>(statement: string, values: unknown[], size: number): AsyncGenerator<Row[]> {
    const cursor = await this.declare(statement, values);
    for (;;) {
      const page = await this.fetch<Row>(cursor, size);
      if (page.length > 0) yield page;
      if (page.length < size) break;
    }
    await this.query(`CLOSE ${cursor}`, []);
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
