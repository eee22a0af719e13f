import { CachedDocument } from '@evenkeel/platform/http';
import { jwksOf } from '@evenkeel/platform/config';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { DocumentOperation, objectOf } from '../documentation/answers';

/** The public keys of receipts, as a JWK Set (RFC 7517). */
@Controller('.well-known/receipt-jwks.json')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class ReceiptKeysController {
  private readonly document: CachedDocument;

  constructor({ receiptKeys }: AgentGatewayConfig) {
    this.document = new CachedDocument(jwksOf(receiptKeys));
  }

  /** 200, or 304 for a caller that has them. */
  @Get()
  @DocumentOperation('listReceiptKeys', 'Public keys of signed receipts', {
    'application/json': {
      schema: objectOf({ keys: { type: 'array', items: { type: 'object' } } }),
      examples: { beginning: { value: { keys: [] } } },
    },
  })
  list(@Res() reply: FastifyReply): void {
    this.document.send(reply);
  }
}
