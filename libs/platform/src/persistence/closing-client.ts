import { Client, type ClientConfig } from 'pg';

type Query = (...args: unknown[]) => unknown;
type Answered = (error: Error | null, result: unknown) => void;

/** After a statement without an answer, for so long, a new connection gets less time: its caller has waited already. */
const HUNG_FOR_MS = 3_000;
const CONNECT_WHILE_HUNG_MS = 600;

/** When a statement had no answer last, by database. */
const hungAt = new Map<string, number>();

/**
 * A connection that is closed once a statement has had no answer within `query_timeout`. `pg` keeps it, and takes what waits
 * behind that statement out of its queue, the ROLLBACK too: when the database goes on, the transaction would still be open,
 * and the next caller of the connection would write into it.
 */
export class ClosingClient extends Client {
  private readonly target: string;

  constructor(config: ClientConfig) {
    const target = config.connectionString ?? '';
    const hangs = performance.now() - (hungAt.get(target) ?? -Infinity) < HUNG_FOR_MS;
    super(hangs ? { ...config, connectionTimeoutMillis: CONNECT_WHILE_HUNG_MS } : config);
    this.target = target;
    const query = this.query.bind(this) as Query;
    this.query = ((...args: unknown[]) => this.watched(query, args)) as typeof this.query;
  }

  private watched(query: Query, args: unknown[]): unknown {
    const answered = args.at(-1);
    if (typeof answered === 'function') {
      const watching: Answered = (error, result) => {
        this.closeAfter(error);
        (answered as Answered)(error, result);
      };
      return query(...args.slice(0, -1), watching);
    }
    const answer = query(...args);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: Error) => {
      this.closeAfter(error);
      throw error;
    });
  }

  private closeAfter(error: Error | null): void {
    if (error?.message !== 'Query read timeout') return;
    hungAt.set(this.target, performance.now());
    this.connection.stream.destroy();
  }
}
