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

/** A shorter document fits into one packet as it is. */
const WORTH_ENCODING_BYTES = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** The one preferred first. */
const ENCODERS = {
  br: (content: Buffer) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
} as const;
type Encoding = keyof typeof ENCODERS;
const OFFERED = [...(Object.keys(ENCODERS) as Encoding[]), 'identity'];

/**
 * A document that is the same for everybody until the next start: caches store it, and a client that has it gets 304.
 * A long one is compressed for clients that take that: once, when the first of them asks, beside the thread that answers.
 */
export class CachedDocument {
  private readonly content: Buffer;
  private readonly type: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly digest: string;
  private readonly encoded: Partial<Record<Encoding, Promise<Buffer>>> = {};

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
    const { 'accept-encoding': accepted = 'identity', 'if-none-match': known } = reply.request.headers;
    const isLong = this.content.length > WORTH_ENCODING_BYTES;
    // A client that refuses even the document as it is gets it all the same.
    const encoding = (isLong && negotiate(accepted, OFFERED)) || 'identity';
    const etag = encoding === 'identity' ? `"${this.digest}"` : `"${this.digest}-${encoding}"`;
    void reply.headers({ ...this.headers, etag });
    if (isLong) void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
    if (known === '*' || known?.includes(etag)) void reply.code(304).send();
    else if (encoding === 'identity') void reply.type(this.type).send(this.content);
    else void this.sendEncoded(reply, encoding as Encoding);
  }

  private async sendEncoded(reply: FastifyReply, encoding: Encoding): Promise<void> {
    const encoded = await (this.encoded[encoding] ??= ENCODERS[encoding](this.content));
    void reply.header('content-encoding', encoding).type(this.type).send(encoded);
  }
}
