import { Connection, type Reply } from './connection';

interface Limits {
  /** A connection on which nothing comes for so long is closed. */
  silentMs: number;
  /** One that rested for so long is not used again: a server may be closing it. */
  restedMs: number;
}

interface Resting {
  connection: Connection;
  since: number;
}

/** Kept connections to one address: requests as bytes, one at a time on each; more requests wait for their turn. */
export class KeptConnections {
  private readonly idle: Resting[] = [];
  private readonly waiting: ((connection: Connection | null) => void)[] = [];
  private inUse = 0;

  constructor(
    private readonly url: string,
    private readonly most: number,
    private readonly limits: Limits,
  ) {}

  /**
   * @param look takes what is needed of a reply: its bytes are gone afterwards
   * @throws Error when no answer came
   */
  async send<Result>(request: Buffer, look: (reply: Reply) => Result): Promise<Result> {
    const connection = await this.take();
    try {
      const reply = await connection.rawRequest(request);
      const result = look(reply);
      if (saysClose(reply)) connection.close();
      return result;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      this.giveBack(connection);
    }
  }

  close(): void {
    for (const { connection } of this.idle.splice(0)) connection.close();
  }

  private async take(): Promise<Connection> {
    if (this.inUse >= this.most) {
      const handed = await new Promise<Connection | null>((resolve) => this.waiting.push(resolve));
      return handed ?? this.open();
    }
    this.inUse++;
    return this.kept() ?? this.open();
  }

  /** The one that was used last: those that nobody needs grow old and are closed. */
  private kept(): Connection | undefined {
    const oldest = performance.now() - this.limits.restedMs;
    for (let last = this.idle.pop(); last; last = this.idle.pop()) {
      if (last.connection.isOpen && last.since > oldest) return last.connection;
      last.connection.close();
    }
    return undefined;
  }

  private async open(): Promise<Connection> {
    try {
      const connection = await Connection.open(this.url);
      connection.closeWhenSilentFor(this.limits.silentMs);
      return connection;
    } catch (error) {
      this.next(null);
      throw error;
    }
  }

  private giveBack(connection: Connection): void {
    this.next(connection.isOpen ? connection : null);
  }

  private next(connection: Connection | null): void {
    const waiting = this.waiting.shift();
    if (waiting) return waiting(connection);
    this.inUse--;
    if (connection) this.idle.push({ connection, since: performance.now() });
  }
}

function saysClose({ head }: Reply): boolean {
  return /\r\nconnection: close/i.test(head);
}
