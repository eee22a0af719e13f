import type { FastifyReply } from 'fastify';

/** A document of HTML; its nonce is on its own style and script, and on no other answer. */
export interface NoncedPage {
  html: string;
  nonce: string;
}

/** Sends a page for people that is not stored, indexed or framed. Only its own script runs, and asks its own origin alone. */
export function sendPage(reply: FastifyReply, { html, nonce }: NoncedPage): void {
  void reply
    .headers({
      'content-security-policy': policyWith(nonce),
      'x-robots-tag': 'noindex',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}

function policyWith(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `connect-src 'self'`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
