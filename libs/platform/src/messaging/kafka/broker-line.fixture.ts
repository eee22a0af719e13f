import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { testBrokers } from './kafka.fixture';

/** @see https://kafka.apache.org/protocol.html#protocol_api_keys */
const REQUESTS = { listOffsets: 2, metadata: 3, joinGroup: 11, apiVersions: 18 } as const;

/** Behind its length. */
const KEY_AT = 4;

function isOf(request: Buffer, kind: keyof typeof REQUESTS): boolean {
  return request.readInt16BE(KEY_AT) === REQUESTS[kind];
}

/** Replaces a request to the broker; undefined: the same request. */
type Change = (request: Buffer) => Buffer | 'nothing any more' | undefined;

/** The connections of a client to the broker of this run, through a socket of ours that changes one request. */
export class BrokerLine implements AsyncDisposable {
  readonly kafka: Kafka;
  /** Whether the request has come. */
  changed = false;
  private readonly server = createServer((client) => this.join(client));
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly change: Change) {
    this.kafka = new Kafka({
      brokers: testBrokers(),
      logLevel: logLevel.NOTHING,
      socketFactory: ({ onConnect }) =>
        this.socket((this.server.address() as AddressInfo).port).on('connect', onConnect),
    });
  }

  /** The first request of one kind, and all that follows it on its connection, is left without an answer. */
  static ignoring(request: keyof typeof REQUESTS): Promise<BrokerLine> {
    return new BrokerLine((sent) => (isOf(sent, request) ? 'nothing any more' : undefined)).open();
  }

  /** The first time that the broker is asked about a topic it says that there is none: it is asked about another. */
  static notKnowing(topic: string): Promise<BrokerLine> {
    const another = topic.replaceAll(/[0-9a-f]/g, '0');
    return new BrokerLine((sent) => {
      if (!isOf(sent, 'metadata') || !sent.includes(topic)) return undefined;
      return Buffer.from(sent.toString('latin1').replace(topic, another), 'latin1');
    }).open();
  }

  private async open(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
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
    client.on('data', (request) => {
      const sent = this.changed ? undefined : this.change(request);
      this.changed ||= sent !== undefined;
      if (sent === 'nothing any more') isOpen = false;
      else if (isOpen) broker.write(sent ?? request);
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
