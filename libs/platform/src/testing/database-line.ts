import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Whether the statement that is lost was carried out: not at all, but its answer is lost too, or after the line was cut. */
export type Loss = 'unwritten' | 'unanswered' | 'written-later';

const LATER_MS = 60;

/** The connections of an app to its database, through a socket of ours that can lose one statement or die for good. */
export class DatabaseLine {
  private readonly sockets = new Set<Socket>();
  private readonly late = new Set<Promise<unknown>>();
  private readonly held: (() => void)[] = [];
  private hangs = false;
  private lateMs = 0;
  private next: { statement: string; loss: Loss } | null = null;
  private waiting: { statement: string; came: (goOn: () => void) => void } | null = null;

  private constructor(
    private readonly server: Server,
    private readonly address: { host: string; port: number },
    readonly url: string,
  ) {
    server.on('connection', (app) => this.connect(app));
  }

  /** @param databaseUrl postgres://… */
  static async to(databaseUrl: string): Promise<DatabaseLine> {
    const url = new URL(databaseUrl);
    const address = { host: url.hostname, port: Number(url.port || 5432) };
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return new DatabaseLine(server, address, url.href);
  }

  /** The next statement with this text takes its connection with it; null: none will. */
  lose(next: { statement: string; loss: Loss } | null): void {
    this.next = next;
  }

  /**
   * The next statement with this text waits, and with it all behind it on its connection.
   * @returns resolves when it has come, with what lets it go on
   */
  hold(statement: string): Promise<() => void> {
    return new Promise((came) => (this.waiting = { statement, came }));
  }

  /** No statement that has not come yet waits any more. */
  holdNone(): void {
    this.waiting = null;
  }

  /** Until what is written later has been written. */
  async quiet(): Promise<void> {
    await Promise.all(this.late);
  }

  /** From now on the database takes every statement and carries none out. */
  hang(): void {
    this.hangs = true;
  }

  /** From now on every answer comes so much later. */
  answerLate(ms: number): void {
    this.lateMs = ms;
  }

  /** Nothing comes through any more. */
  cut(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** After either: new connections are taken, and the database goes on with the statements of those that have waited. */
  async mend(): Promise<void> {
    this.hangs = false;
    for (const write of this.held.splice(0)) write();
    if (this.server.listening) return;
    this.server.listen(Number(new URL(this.url).port), '127.0.0.1');
    await once(this.server, 'listening');
  }

  private connect(app: Socket): void {
    const database = createConnection(this.address);
    for (const [socket, other] of [
      [app, database],
      [database, app],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.sockets.delete(socket) && other.destroy());
    }
    database.on('data', (answer) => this.answer(answer, app));
    app.on('data', (statement) => this.pass(statement, app, database));
  }

  private answer(answer: Buffer, app: Socket): void {
    if (this.lateMs === 0) return void app.write(answer);
    setTimeout(() => app.destroyed || app.write(answer), this.lateMs);
  }

  private pass(statement: Buffer, app: Socket, database: Socket): void {
    if (this.hangs) return void this.held.push(() => database.destroyed || database.write(statement));
    if (this.waiting && statement.includes(this.waiting.statement)) {
      const { came } = this.waiting;
      this.waiting = null;
      app.pause();
      return came(() => {
        database.write(statement);
        app.resume();
      });
    }
    if (!this.next || !statement.includes(this.next.statement)) return void database.write(statement);
    const { loss } = this.next;
    this.next = null;
    database.removeAllListeners('data');
    if (loss === 'unwritten') return void app.destroy();

    // Until the database has answered, its side of the connection must live, or it might roll back.
    app.removeAllListeners('close').on('close', () => this.sockets.delete(app));
    database.on('data', () => {
      app.destroy();
      database.destroy();
    });
    if (loss === 'unanswered') return void database.write(statement);
    app.destroy();
    const written = once(database, 'close').finally(() => this.late.delete(written));
    this.late.add(written);
    setTimeout(() => database.write(statement), LATER_MS).unref();
  }
}
