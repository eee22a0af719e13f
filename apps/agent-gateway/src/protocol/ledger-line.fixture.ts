import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Whether the statement that is lost was carried out: not at all, but its answer is lost too, or after the line was cut. */
export type Loss = 'unwritten' | 'unanswered' | 'written-later';

const LATER_MS = 60;

/** A gateway's connections to its ledger, through a socket of ours that can lose one statement or die for good. */
export class LedgerLine {
  private readonly sockets = new Set<Socket>();
  private readonly late = new Set<Promise<unknown>>();
  private next: { statement: string; loss: Loss } | null = null;

  private constructor(
    private readonly server: Server,
    private readonly ledger: { host: string; port: number },
    readonly url: string,
  ) {
    server.on('connection', (gateway) => this.connect(gateway));
  }

  static async to(ledgerUrl: string): Promise<LedgerLine> {
    const url = new URL(ledgerUrl);
    const ledger = { host: url.hostname, port: Number(url.port || 5432) };
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return new LedgerLine(server, ledger, url.href);
  }

  /** The next statement with this text takes its connection with it; null: none will. */
  lose(next: { statement: string; loss: Loss } | null): void {
    this.next = next;
  }

  /** Until what is written later has been written. */
  async quiet(): Promise<void> {
    await Promise.all(this.late);
  }

  /** Nothing comes through any more. */
  cut(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private connect(gateway: Socket): void {
    const ledger = createConnection(this.ledger);
    for (const [socket, other] of [
      [gateway, ledger],
      [ledger, gateway],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.sockets.delete(socket) && other.destroy());
    }
    ledger.on('data', (answer) => gateway.write(answer));
    gateway.on('data', (statement) => this.pass(statement, gateway, ledger));
  }

  private pass(statement: Buffer, gateway: Socket, ledger: Socket): void {
    if (!this.next || !statement.includes(this.next.statement)) return void ledger.write(statement);
    const { loss } = this.next;
    this.next = null;
    ledger.removeAllListeners('data');
    if (loss === 'unwritten') return void gateway.destroy();

    // Until the ledger has answered, its side of the connection must live, or it might roll back.
    gateway.removeAllListeners('close').on('close', () => this.sockets.delete(gateway));
    ledger.on('data', () => {
      gateway.destroy();
      ledger.destroy();
    });
    if (loss === 'unanswered') return void ledger.write(statement);
    gateway.destroy();
    const written = once(ledger, 'close').finally(() => this.late.delete(written));
    this.late.add(written);
    setTimeout(() => ledger.write(statement), LATER_MS).unref();
  }
}
