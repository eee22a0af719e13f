import { SERVICE, type HealthStatus } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Headers, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PaymentTerms } from '../config/payment-terms';
import { catalogLink } from './catalogs';
import { CachedDocument } from '@evenkeel/platform/http';
import { describeService } from './describe-service';

/** The front door and the pulse: free, without authentication. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DescriptorController {
  private readonly document: CachedDocument;
  private readonly startedAt: number;

  constructor(
    terms: PaymentTerms,
    private readonly clock: Clock,
  ) {
    this.document = new CachedDocument(describeService(terms), { headers: catalogLink(terms.baseUrl) });
    this.startedAt = clock.now().getTime();
  }

  /** 200, or 304 for a caller that has it. */
  @Get('/')
  describe(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    this.document.send(reply, known);
  }

  /** Process liveness: 200 while the process can answer, no dependency is touched. */
  @Get('/health')
  health(): HealthStatus {
    const now = this.clock.now();
    return {
      status: 'ok',
      service: SERVICE.id,
      version: SERVICE.version,
      time: now.toISOString(),
      uptime_seconds: Math.floor((now.getTime() - this.startedAt) / 1_000),
    };
  }
}
