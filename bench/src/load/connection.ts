import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  /** Status line and headers as they came. */
  head: string;
  body: Buffer;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** As written in `Content-Length: ` and in `content-length: `; a search without case would cost as much as the answer. */
const LENGTH = Buffer.from('ontent-');
const READ_AT_ONCE = 65_536;

/**
 * One kept connection that sends prepared bytes. The client runs on the sellers' machine, and what it costs slows the
 * fast ones most: it reads into one buffer, and makes text of nothing until somebody looks.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly chunk = Buffer.allocUnsafeSlow(READ_AT_ONCE);
  private received: Buffer | null = null;
  private waiting?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor({ hostname, port }: URL) {
    const onread = { buffer: this.chunk, callback: (length: number) => this.read(this.chunk.subarray(0, length)) };
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    this.socket.on('close', () => this.waiting?.reject(new Error('the seller closed the connection')));
    this.socket.on('error', (error) => this.waiting?.reject(error));
  }

  static async open(url: string): Promise<Connection> {
    const connection = new Connection(new URL(url));
    await once(connection.socket, 'connect');
    return connection;
  }

  /**
   * One request after the other.
   * @returns a reply that can be looked at until the next request is sent
   */
  rawRequest(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private read(chunk: Buffer): boolean {
    const bytes = this.received ? Buffer.concat([this.received, chunk]) : chunk;
    const headEnd = bytes.indexOf(END_OF_HEAD);
    const length = headEnd === -1 ? Infinity : contentLength(bytes, headEnd);
    if (Number.isNaN(length)) this.waiting?.reject(new Error('an answer without content-length'));
    else if (bytes.length < headEnd + END_OF_HEAD.length + length) this.received = Buffer.from(bytes);
    else {
      this.received = null;
      this.waiting?.resolve(replyOf(bytes, headEnd));
    }
    return true;
  }
}

/** NaN when the head has none. */
function contentLength(bytes: Buffer, headEnd: number): number {
  for (let at = bytes.indexOf(LENGTH); at !== -1 && at < headEnd; at = bytes.indexOf(LENGTH, at + 1)) {
    const [name, value] = bytes.toString('latin1', at + LENGTH.length, bytes.indexOf('\r', at)).split(': ');
    if (name!.toLowerCase() === 'length') return Number(value);
  }
  return NaN;
}

function replyOf(bytes: Buffer, headEnd: number): Reply {
  return {
    status: Number(bytes.toString('latin1', 9, 12)),
    get head() {
      return bytes.toString('latin1', 0, headEnd);
    },
    get body() {
      return bytes.subarray(headEnd + END_OF_HEAD.length);
    },
  };
}
