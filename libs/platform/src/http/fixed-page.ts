import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { CachedDocument } from './cached-document';

/** The texts between the tags of style and script of a page, by what allows them. */
const INLINE = { 'style-src': /<style>([^]*?)<\/style>/g, 'script-src': /<script>([^]*?)<\/script>/g } as const;

/**
 * A page for people that is the same for everybody until the next start. Only its own style and script are allowed, which its
 * policy names by their digests, and they ask its own origin alone.
 */
export class FixedPage {
  private readonly document: CachedDocument;

  /**
   * @param html complete in itself; style and script in tags without attributes
   * @param headers sent beside the policy
   */
  constructor(html: string, headers: Readonly<Record<string, string>> = {}) {
    this.document = new CachedDocument(html, {
      type: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': policyOf(html), 'x-frame-options': 'DENY', ...headers },
    });
  }

  /** 200, or 304 for a caller that has it. */
  send(reply: FastifyReply): void {
    this.document.send(reply);
  }
}

function policyOf(html: string): string {
  const inline = Object.entries(INLINE).flatMap(([directive, tags]) => {
    const digests = [...html.matchAll(tags)].map(([, text]) => createHash('sha256').update(text!).digest('base64'));
    return digests.length > 0 ? [`${directive} ${digests.map((digest) => `'sha256-${digest}'`).join(' ')}`] : [];
  });
  return [
    `default-src 'none'`,
    ...inline,
    `connect-src 'self'`,
    `img-src 'self' data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
