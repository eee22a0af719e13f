import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  /** Status line and headers as they came. */
  head: string;
  body: Buffer;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/** One kept connection that sends prepared bytes: the client must cost little, as it runs on the sellers' machine. */
export class Connection {
  private received: Buffer | null = null;
  private waiting?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('close', () => this.waiting?.reject(new Error('the seller closed the connection')));
    socket.on('error', (error) => this.waiting?.reject(error));
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** One request after the other. */
  exchange(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    const received = this.received ? Buffer.concat([this.received, chunk]) : chunk;
    this.received = received;
    const headEnd = received.indexOf(END_OF_HEAD);
    if (headEnd === -1) return;
    const head = received.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) return this.waiting?.reject(new Error('an answer without content-length'));
    const bodyStart = headEnd + END_OF_HEAD.length;
    if (received.length < bodyStart + Number(length)) return;
    this.received = null;
    this.waiting?.resolve({ status: Number(head.slice(9, 12)), head, body: received.subarray(bodyStart) });
  }
}
