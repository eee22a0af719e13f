import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A document that is the same for everybody until the next start: kept by caches, and not sent to who has it (D-08). */
export class CachedDocument {
  private readonly text: string;
  private readonly etag: string;

  constructor(content: object) {
    this.text = JSON.stringify(content);
    this.etag = `"${createHash('sha256').update(this.text).digest('base64url')}"`;
  }

  /** @param known value of `If-None-Match` */
  send(reply: FastifyReply, known: string | undefined): void {
    void reply.headers({ etag: this.etag, 'cache-control': 'public, max-age=300' });
    if (known === '*' || known?.includes(this.etag)) void reply.code(304).send();
    else void reply.type('application/json; charset=utf-8').send(this.text);
  }
}
