import { policyOf } from '@evenkeel/platform/http';
import type { FastifyReply } from 'fastify';

/** A document of HTML; its nonce is on its own style and script, and on no other answer. */
export interface NoncedPage {
  html: string;
  nonce: string;
}

/** Sends a page for people that is not stored, indexed or framed. Only its own script runs. */
export function sendPage(reply: FastifyReply, { html, nonce }: NoncedPage): void {
  void reply
    .headers({
      'content-security-policy': policyOf([`script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`]),
      'x-robots-tag': 'noindex',
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}
