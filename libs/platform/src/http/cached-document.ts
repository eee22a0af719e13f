import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface DocumentForm {
  /** Default JSON. */
  type?: string;
  /** Sent with every answer, 304 too. */
  headers?: Readonly<Record<string, string>>;
}

/** A document that is the same for everybody until the next start: caches store it, and a client that has it gets 304 (D-08). */
export class CachedDocument {
  private readonly content: string | Buffer;
  private readonly type: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly etag: string;

  /** @param content text and bytes as they are, anything else as JSON */
  constructor(content: object | string | Buffer, { type = JSON_TYPE, headers = {} }: DocumentForm = {}) {
    this.content = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    this.type = type;
    this.etag = `"${createHash('sha256').update(this.content).digest('base64url')}"`;
    this.headers = { etag: this.etag, 'cache-control': 'public, max-age=300', ...headers };
  }

  /** @param known value of `If-None-Match` */
  send(reply: FastifyReply, known: string | undefined): void {
    void reply.headers(this.headers);
    if (known === '*' || known?.includes(this.etag)) void reply.code(304).send();
    else void reply.type(this.type).send(this.content);
  }
}
