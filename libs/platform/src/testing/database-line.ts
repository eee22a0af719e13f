import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/** Whether the statement that is lost was carried out: not at all, but its answer is lost too, or after the line was cut. */
export type Loss = 'unwritten' | 'unanswered' | 'written-later';

const LATER_MS = 60;

/** The connections of an app to its database, through a socket of ours that can lose one statement or die for good. */
export class DatabaseLine {
  /** A suite need not close it. */
  private readonly server = createServer((app) => this.connect(app)).unref();
  private readonly sockets = new Set<Socket>();
  private readonly late = new Set<Promise<unknown>>();
  private readonly held: (() => void)[] = [];
  private hangs = false;
  private lateMs = 0;
  private port = 0;
  private next: { statement: string; loss: Loss } | null = null;
  private waiting: { isIt: (sent: Buffer) => boolean; came: (goOn: () => void) => void } | null = null;

  private constructor(private readonly database: URL) {}

  /** @param databaseUrl postgres://… */
  static async to(databaseUrl: string): Promise<DatabaseLine> {
    const line = new DatabaseLine(new URL(databaseUrl));
    await once(line.server.listen(0, '127.0.0.1'), 'listening');
    line.port = (line.server.address() as AddressInfo).port;
    return line;
  }

  get url(): string {
    return Object.assign(new URL(this.database), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }

  /** The next statement with this text takes its connection with it; null: none will. */
  lose(next: { statement: string; loss: Loss } | null): void {
    this.next = next;
  }

  /**
   * The next statement with this text waits, and with it all behind it on its connection.
   * @param statement a function for what has no text, such as a request to Kafka
   * @returns resolves when it has come, with what lets it go on
   */
  hold(statement: string | ((sent: Buffer) => boolean)): Promise<() => void> {
    const isIt = typeof statement === 'string' ? (sent: Buffer) => sent.includes(statement) : statement;
    return new Promise((came) => (this.waiting = { isIt, came }));
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
    if (!this.server.listening) await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
  }

  private connect(app: Socket): void {
    const database = createConnection({ host: this.database.hostname, port: Number(this.database.port || 5432) });
    for (const [socket, other] of [
      [app, database],
      [database, app],
    ] as const) {
      this.sockets.add(socket.setNoDelay(true));
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.sockets.delete(socket) && other.destroy());
    }
    database.on('data', (answer) => {
      if (this.lateMs === 0) app.write(answer);
      else setTimeout(() => app.destroyed || app.write(answer), this.lateMs);
    });
    app.on('data', (statement) => this.pass(statement, app, database));
  }

  private pass(statement: Buffer, app: Socket, database: Socket): void {
    const goOn = () => database.destroyed || database.write(statement);
    const { waiting, next } = this;
    if (this.hangs) return void this.held.push(goOn);
    if (waiting?.isIt(statement)) {
      this.waiting = null;
      app.pause();
      return waiting.came(() => {
        goOn();
        app.resume();
      });
    }
    if (!next || !statement.includes(next.statement)) return void goOn();
    this.next = null;
    database.removeAllListeners('data');
    if (next.loss === 'unwritten') return void app.destroy();

    // Until the database has answered, its side of the connection must live, or it might roll back.
    app.removeAllListeners('close').on('close', () => this.sockets.delete(app));
    database.on('data', () => {
      app.destroy();
      database.destroy();
    });
    if (next.loss === 'unanswered') return void goOn();
    app.destroy();
    const written = once(database, 'close').finally(() => this.late.delete(written));
    this.late.add(written);
    setTimeout(goOn, LATER_MS).unref();
  }
}
