import { CachedDocument } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Headers, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { jwksOf } from '@evenkeel/platform/keys';

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
  list(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    this.document.send(reply, known);
  }
}
