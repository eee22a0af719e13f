import type { DataSource, QueryRunner } from 'typeorm';

/** Runs a statement, one of several of a transaction. */
export type Query = <Row>(statement: string, values: unknown[]) => Promise<Row[]>;

/** The same for all: the database counts statements by their text. */
const NAME = 'read_rows';
const PAGE = 2_000;

/**
 * All rows of a statement, 2,000 at a time: none takes long, however many there are and however slowly they are taken. One
 * statement of a transaction is read so at a time.
 * @param query in a transaction
 */
export async function* pagesOf<Row>(query: Query, statement: string, values: unknown[]): AsyncGenerator<Row[]> {
  await query(`DECLARE ${NAME} NO SCROLL CURSOR FOR ${statement}`, values);
  for (;;) {
    const page = await query<Row>(`FETCH ${PAGE} FROM ${NAME}`, []);
    if (page.length > 0) yield page;
    if (page.length < PAGE) break;
  }
  await query(`CLOSE ${NAME}`, []);
}

/** A reader may be slow, but not for ever: it holds a connection and keeps the database from cleaning up. */
const IDLE_LIMIT = '60s';

/** One state of the database, on a connection of its own, for as long as it takes to send what is in it. */
export class Snapshot {
  readonly query: Query = (statement, values) => this.runner.manager.query(statement, values);

  private constructor(private readonly runner: QueryRunner) {}

  static async open(dataSource: DataSource): Promise<Snapshot> {
    const snapshot = new Snapshot(dataSource.createQueryRunner());
    try {
      const { runner } = snapshot;
      await runner.startTransaction('REPEATABLE READ');
      await runner.query('SET TRANSACTION READ ONLY');
      await runner.query(`SET LOCAL idle_in_transaction_session_timeout = '${IDLE_LIMIT}'`);
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
}
