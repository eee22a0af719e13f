import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { openAhead } from './data-source';
import { ignoreLoss } from './postgres-options';

/** A connection that the pool has lent, for as long as statements on it are under way. */
interface Shared {
  opening: Promise<PoolClient>;
  underWay: number;
  isBroken: boolean;
}

/**
 * Sends each statement at once, also while those before it have no answer yet: nobody waits for a connection that others have, however
 * late the database answers. For a pool of `JoiningClient`, and for single statements that wait for no lock.
 * @see docs/adr/0036-statements-that-are-awaited-together.md
 */
export class JoinedStatements {
  private shared: Shared[] = [];

  /** @param pool which nobody else uses; with two connections not everything waits behind one that hangs */
  constructor(private readonly pool: Pool) {}

  async query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    const connection = this.leastBusy();
    let client: PoolClient | undefined;
    connection.underWay++;
    try {
      client = await connection.opening;
      return await client.query<Row>(statement);
    } catch (error) {
      connection.isBroken = true;
      throw error;
    } finally {
      connection.underWay--;
      const { isBroken, underWay } = connection;
      if (isBroken || underWay === 0) this.shared = this.shared.filter((other) => other !== connection);
      if (underWay === 0) client?.off('error', ignoreLoss).release(isBroken);
    }
  }

  private leastBusy(): Shared {
    const { idleCount, options } = this.pool;
    const [first, ...others] = this.shared;
    if (!first || (idleCount > 0 && this.shared.length < options.max)) return this.lend();
    openAhead(this.pool);
    return others.reduce((least, other) => (other.underWay < least.underWay ? other : least), first);
  }

  private lend(): Shared {
    const opening = this.pool.connect().then((client) => client.on('error', ignoreLoss));
    const connection = { opening, underWay: 0, isBroken: false };
    this.shared.push(connection);
    return connection;
  }
}
