import { sendPage } from '@evenkeel/platform/http';
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
    sendPage(reply, this.document.withNonce());
  }
}
