import { Client, type ClientConfig } from 'pg';

type Query = (...args: unknown[]) => unknown;
type Answered = (error: Error | null, result?: unknown) => void;

/** After a statement without an answer, for so long, a new connection gets less time: its caller has waited already. */
const HUNG_FOR_MS = 3_000;
const CONNECT_WHILE_HUNG_MS = 600;

/** When a statement had no answer last, by database. */
const hungAt = new Map<string, number>();

/**
 * A connection that is closed once a statement has had no answer within `query_timeout`. `pg` would keep it, and take what waits
 * behind that statement out of its queue, the ROLLBACK too: when the database goes on, the transaction would still be open,
 * and the next caller of the connection would write into it.
 *
 * Nothing of a statement is held when it is answered. What `pg` does for a promise or a time limit holds the rows and the values of
 * each statement until V8 collects all of its memory: V8 puts a function that is assigned to a property among what lives long.
 */
export class ClosingClient extends Client {
  private readonly target: string;
  private readonly limitMs: number;

  constructor({ query_timeout: limitMs = 0, ...config }: ClientConfig) {
    const target = config.connectionString ?? '';
    const hangs = performance.now() - (hungAt.get(target) ?? -Infinity) < HUNG_FOR_MS;
    super(hangs ? { ...config, connectionTimeoutMillis: CONNECT_WHILE_HUNG_MS } : config);
    this.target = target;
    this.limitMs = limitMs;
    const query = this.query.bind(this) as Query;
    this.query = ((...args: unknown[]) => this.watched(query, args)) as typeof this.query;
  }

  private watched(query: Query, args: unknown[]): unknown {
    const answered = args.at(-1);
    if (typeof answered === 'function') return this.ask(query, args.slice(0, -1), answered as Answered);
    return new Promise((resolve, reject) =>
      this.ask(query, args, (error, result) => (error ? reject(error) : resolve(result))),
    ).catch((error: Error) => {
      // With the lines of who asked, in place of those that read the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  }

  private ask(query: Query, statement: unknown[], answered: Answered): void {
    let waiting: Answered | null = answered;
    const answer: Answered = (error, result) => {
      clearTimeout(limit);
      const told = waiting;
      waiting = null;
      told?.(error, result);
    };
    // A process that was held up finds its timers due before it reads: what has come meanwhile is an answer in time.
    const giveUp = () => setImmediate(() => waiting && this.close(answer));
    // Answers come in a later turn. What is no statement throws here, and nothing waits for it.
    query(...statement, answer);
    const limit = this.limitMs > 0 ? setTimeout(giveUp, this.limitMs) : undefined;
  }

  private close(answer: Answered): void {
    hungAt.set(this.target, performance.now());
    answer(new Error('Query read timeout'));
    this.connection.stream.destroy();
  }
}
