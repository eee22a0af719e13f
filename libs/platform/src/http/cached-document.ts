import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply } from 'fastify';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface DocumentForm {
  /** Default JSON. */
  type?: string;
  /** Sent with every answer, 304 too. */
  headers?: Readonly<Record<string, string>>;
}

/** The one preferred first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A shorter document fits into one packet as it is. */
const WORTH_ENCODING_BYTES = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const ENCODERS: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: async (content) => content,
};

/**
 * A document that is the same for everybody until the next start: caches store it, and a client that has it gets 304.
 * A long one is compressed for clients that take that: once, when the first of them asks, beside the thread that answers.
 */
export class CachedDocument {
  private readonly content: Buffer;
  private readonly type: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly digest: string;
  private readonly encoded = new Map<Encoding, Promise<Buffer>>();

  /** @param content text and bytes as they are, anything else as JSON */
  constructor(content: object | string | Buffer, { type = JSON_TYPE, headers = {} }: DocumentForm = {}) {
    this.content = Buffer.isBuffer(content)
      ? content
      : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    this.type = type;
    this.digest = createHash('sha256').update(this.content).digest('base64url');
    this.headers = { 'cache-control': 'public, max-age=300', ...headers };
  }

  /** Answers the request of the reply, by its `Accept-Encoding` and `If-None-Match`. */
  send(reply: FastifyReply): void {
    const { 'accept-encoding': accepted, 'if-none-match': known } = reply.request.headers;
    void reply.headers(this.headers);
    const encoding = this.isLong ? encodingFor(accepted) : 'identity';
    const etag = encoding === 'identity' ? `"${this.digest}"` : `"${this.digest}-${encoding}"`;
    void reply.header('etag', etag);
    if (this.isLong) void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
    if (known === '*' || known?.includes(etag)) void reply.code(304).send();
    else if (encoding === 'identity') void reply.type(this.type).send(this.content);
    else void this.sendEncoded(reply, encoding);
  }

  private get isLong(): boolean {
    return this.content.length > WORTH_ENCODING_BYTES;
  }

  private async sendEncoded(reply: FastifyReply, encoding: Encoding): Promise<void> {
    const encoded = await this.in(encoding);
    void reply.header('content-encoding', encoding).type(this.type).send(encoded);
  }

  private in(encoding: Encoding): Promise<Buffer> {
    let encoded = this.encoded.get(encoding);
    if (!encoded) this.encoded.set(encoding, (encoded = ENCODERS[encoding](this.content)));
    return encoded;
  }
}

/** A client that refuses even the document as it is gets it all the same. */
function encodingFor(accepted: string | undefined): Encoding {
  return (accepted !== undefined && negotiate<Encoding>(accepted, [...ENCODINGS])) || 'identity';
}
