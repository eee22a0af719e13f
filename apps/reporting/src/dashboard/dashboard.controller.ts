import { FixedPage } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { dashboardDocument } from './dashboard-document';

const HEADERS = { 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' };

/** The operator's page: public, because it holds no secret; it asks for the token in the browser. */
@Controller('dashboard')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DashboardController {
  private made?: FixedPage;

  /** 200 with one self-contained document; 304; 429. */
  @Get()
  read(@Res() reply: FastifyReply): void {
    this.page.send(reply);
  }

  /** Made when somebody first reads it. A browser keeps it, and asks each time whether it is still the same. */
  private get page(): FixedPage {
    return (this.made ??= new FixedPage(dashboardDocument(), HEADERS));
  }
}
