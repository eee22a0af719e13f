import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { testBrokers } from './kafka.fixture';

/** @see https://kafka.apache.org/protocol.html#protocol_api_keys */
const REQUESTS = { listOffsets: 2, joinGroup: 11, apiVersions: 18 } as const;

/** Behind its length. */
const KEY_AT = 4;

/** The connections of a client to the broker of this run, through a socket of ours that once loses a request. */
export class BrokerLine implements AsyncDisposable {
  readonly kafka = new Kafka({
    brokers: testBrokers(),
    logLevel: logLevel.NOTHING,
    socketFactory: ({ onConnect }) => this.socket((this.server.address() as AddressInfo).port).on('connect', onConnect),
  });
  /** Whether the request has come. */
  lost = false;
  private readonly server = createServer((client) => this.join(client));
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly request: keyof typeof REQUESTS) {}

  /** The first request of one kind, and all that follows it on its connection, is left without an answer. */
  static async ignoring(request: keyof typeof REQUESTS): Promise<BrokerLine> {
    const line = new BrokerLine(request);
    await once(line.server.listen(0, '127.0.0.1'), 'listening');
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    this.sockets.add(client);
    const [host, port] = testBrokers()[0]!.split(':');
    const broker = this.socket(Number(port), host);
    let isOpen = true;
    client.on('data', (sent) => {
      if (!this.lost && sent.readInt16BE(KEY_AT) === REQUESTS[this.request]) {
        this.lost = true;
        isOpen = false;
      }
      if (isOpen) broker.write(sent);
    });
    broker.on('data', (answer) => client.write(answer));
    for (const [socket, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  }

  private socket(port: number, host = '127.0.0.1'): Socket {
    const socket = connect(port, host);
    this.sockets.add(socket);
    return socket;
  }
}
