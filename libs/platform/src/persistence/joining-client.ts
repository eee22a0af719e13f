import { Query, type ClientConfig } from 'pg';
import { ClosingClient } from './closing-client';

/** As TypeORM begins a transaction: one statement, or two. */
const BEGIN = 'START TRANSACTION';
const ISOLATION = /^SET TRANSACTION (?=ISOLATION LEVEL )/;

/** What `pg` writes to its socket; it has no types for that. */
interface Wire {
  parse(message: { text: string }): void;
  bind(message: object): void;
  execute(message: object): void;
}

const { prepare } = Query.prototype as unknown as { prepare: (this: Query, connection: Wire) => void };

/**
 * A statement behind the one that begins its transaction, in one message to the database. PostgreSQL leaves out what follows a
 * failure in one message: without its transaction the statement is not carried out either.
 */
class FirstStatement extends Query {
  constructor(
    private readonly begin: string,
    text: string,
    values: unknown[],
  ) {
    super(text, values);
  }

  prepare(connection: Wire): void {
    connection.parse({ text: this.begin });
    connection.bind({});
    connection.execute({});
    prepare.call(this, connection);
  }
}

/**
 * A connection that waits for the database as seldom as it can: a transaction begins together with its first statement, and
 * statements that are asked for at once are sent at once. They are carried out in their order.
 * @see docs/adr/0036-statements-that-are-awaited-together.md
 */
export class JoiningClient extends ClosingClient {
  /** What begins the transaction that was asked for, until it is sent. */
  private begin: string | null = null;
  /** While BEGIN is awaited alone: what is asked for meanwhile comes behind it, in its order. */
  private beginning: Promise<unknown> | null = null;

  constructor(config: ClientConfig) {
    super({ ...config, pipeline: true });
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => this.joined(query, args)) as typeof this.query;
  }

  private joined(query: (...args: unknown[]) => unknown, args: unknown[]): unknown {
    if (this.beginning) return this.beginning.then(() => query(...args));
    const [text, values] = args;
    const { begin } = this;
    if (begin !== null && typeof text === 'string' && ISOLATION.test(text)) {
      this.begin = `${begin} ${text.replace(ISOLATION, '')}`;
    } else {
      this.begin = text === BEGIN ? BEGIN : null;
    }
    if (this.begin !== null || (begin !== null && (text === 'COMMIT' || text === 'ROLLBACK'))) {
      return Promise.resolve({ command: text, rows: [] });
    }
    if (begin === null) return query(...args);
    if (typeof text === 'string' && Array.isArray(values) && values.length > 0) {
      return new Promise((resolve, reject) => {
        const answered = (error: Error | null, results: unknown) =>
          error ? reject(error) : resolve((results as unknown[]).at(-1));
        query(new FirstStatement(begin, text, values as unknown[]), answered);
      });
    }
    // A statement without values goes in another kind of message, which may hold several.
    this.beginning = (query(begin) as Promise<unknown>).finally(() => (this.beginning = null));
    return this.beginning.then(() => query(...args));
  }
}
