import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { DatabaseLine } from '../../testing';
import { testBrokers } from './kafka.fixture';

/** @see https://kafka.apache.org/protocol.html#protocol_api_keys */
const REQUESTS = { listOffsets: 2, joinGroup: 11, apiVersions: 18 } as const;

/** Behind its length. */
const KEY_AT = 4;

/** The connections of a client to the broker of this run, through a line that once loses a request. */
export class BrokerLine implements AsyncDisposable {
  readonly kafka = new Kafka({
    brokers: testBrokers(),
    logLevel: logLevel.NOTHING,
    socketFactory: ({ onConnect }) => connect(Number(new URL(this.line.url).port), '127.0.0.1', onConnect),
  });
  /** Whether the request has come. */
  lost = false;

  private constructor(private readonly line: DatabaseLine) {}

  /** The first request of one kind, and all that follows it on its connection, is left without an answer. */
  static async ignoring(request: keyof typeof REQUESTS): Promise<BrokerLine> {
    const line = new BrokerLine(await DatabaseLine.to(`kafka://${testBrokers()[0]}`));
    void line.line.hold((sent) => sent.readInt16BE(KEY_AT) === REQUESTS[request]).then(() => (line.lost = true));
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.line.cut();
  }
}
