import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DashboardDocument } from './dashboard-document';

/** The operator's page: public, because it holds no secret; it asks for the token in the browser. */
@Controller('dashboard')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DashboardController {
  constructor(private readonly document: DashboardDocument) {}

  /** 200 with one self-contained document; 429. */
  @Get()
  page(@Res() reply: FastifyReply): void {
    const { html, nonce } = this.document.withNonce();
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
}

/** Only scripts of the document run, and it sends requests to its own origin alone. */
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
