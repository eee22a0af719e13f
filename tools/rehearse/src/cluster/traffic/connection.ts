import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

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
 * One kept connection that sends prepared bytes. The client runs on the machine of the server, and what it costs slows a
 * fast one most: it reads into one buffer, and makes text of nothing until somebody looks.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly chunk = Buffer.allocUnsafeSlow(READ_AT_ONCE);
  private received: Buffer[] = [];
  private receivedBytes = 0;
  /** Of the whole answer, as far as its head is there: before that there is nothing to look at. */
  private wantedBytes = 0;
  private waiting?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(url: URL) {
    this.socket = url.protocol === 'https:' ? this.secure(url) : this.plain(url);
    this.socket.on('close', () => this.waiting?.reject(new Error('the connection was closed before an answer came')));
    this.socket.on('error', (error) => this.waiting?.reject(error));
  }

  /** @throws Error when nobody listens there */
  static async open(url: string): Promise<Connection> {
    const at = new URL(url);
    const connection = new Connection(at);
    await once(connection.socket, at.protocol === 'https:' ? 'secureConnect' : 'connect');
    return connection;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.readable;
  }

  /** It is closed when nothing comes for so long, while a request waits or while none does. */
  closeWhenSilentFor(ms: number): void {
    this.socket.setTimeout(ms, () => this.socket.destroy(new Error(`no answer within ${ms / 1_000} s`)));
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

  private plain({ hostname, port }: URL): Socket {
    const onread = { buffer: this.chunk, callback: (length: number) => this.read(this.chunk.subarray(0, length)) };
    return connect({ host: hostname, port: Number(port || 80), noDelay: true, onread });
  }

  private secure({ hostname, port }: URL): Socket {
    const socket = connectSecurely({ host: hostname, port: Number(port || 443), servername: hostname });
    return socket.setNoDelay(true).on('data', (chunk: Buffer) => this.read(chunk));
  }

  private read(chunk: Buffer): boolean {
    if (this.receivedBytes + chunk.length < this.wantedBytes) return this.keep(Buffer.from(chunk));
    const bytes = this.received.length === 0 ? chunk : Buffer.concat([...this.received, chunk]);
    const headEnd = bytes.indexOf(END_OF_HEAD);
    const begin = headEnd + END_OF_HEAD.length;
    const length = headEnd === -1 ? NaN : contentLength(bytes, headEnd);
    const body = headEnd === -1 ? null : Number.isNaN(length) ? inChunks(bytes, begin) : pieceOf(bytes, begin, length);
    [this.received, this.receivedBytes, this.wantedBytes] = [[], 0, 0];
    if (body) this.waiting?.resolve(replyOf(bytes.subarray(0, headEnd), body));
    else this.keep(Buffer.from(bytes), Number.isNaN(length) ? 0 : begin + length);
    return true;
  }

  private keep(bytes: Buffer, wantedBytes = this.wantedBytes): true {
    this.received.push(bytes);
    this.receivedBytes += bytes.length;
    this.wantedBytes = wantedBytes;
    return true;
  }
}

/** Null until it is there as a whole. */
function pieceOf(bytes: Buffer, begin: number, length: number): Buffer | null {
  return bytes.length < begin + length ? null : bytes.subarray(begin, begin + length);
}

/** NaN when the head has none. */
function contentLength(bytes: Buffer, headEnd: number): number {
  for (let at = bytes.indexOf(LENGTH); at !== -1 && at < headEnd; at = bytes.indexOf(LENGTH, at + 1)) {
    const [name, value] = bytes.toString('latin1', at + LENGTH.length, bytes.indexOf('\r', at)).split(': ');
    if (name!.toLowerCase() === 'length') return Number(value);
  }
  return NaN;
}

/** Without trailers: each piece after a line with its length, the last one has none. */
function inChunks(bytes: Buffer, begin: number): Buffer | null {
  const pieces: Buffer[] = [];
  for (let at = begin; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const length = lineEnd === -1 ? NaN : parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const from = lineEnd + 2;
    if (Number.isNaN(length) || bytes.length < from + length + 2) return null;
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(from, from + length));
    at = from + length + 2;
  }
}

function replyOf(head: Buffer, body: Buffer): Reply {
  return {
    status: Number(head.toString('latin1', 9, 12)),
    get head() {
      return head.toString('latin1');
    },
    body,
  };
}
