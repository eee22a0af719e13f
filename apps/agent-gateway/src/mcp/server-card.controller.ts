import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CachedDocument } from '@evenkeel/platform/http';
import { serverCard, SERVER_CARD_PATH, SERVER_CARD_TYPE } from './server-card';

/** The card to which catalogues of MCP servers link. */
@ApiExcludeController()
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class ServerCardController {
  private readonly card: CachedDocument;

  constructor({ baseUrl }: AgentGatewayConfig) {
    this.card = new CachedDocument(serverCard(baseUrl), { type: `${SERVER_CARD_TYPE}; charset=utf-8` });
  }

  /** 200, or 304 for a caller that has it already. */
  @Get(SERVER_CARD_PATH)
  read(@Res() reply: FastifyReply): void {
    this.card.send(reply);
  }
}
