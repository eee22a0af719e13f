import { SERVICE, type HealthStatus } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCUMENT_PATHS, Documents, type DocumentPath } from './documents';

/** The documents that machines find us by, and whether the process answers: free, without authentication. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DocumentsController {
  private readonly startedAt: number;

  constructor(
    private readonly documents: Documents,
    private readonly clock: Clock,
  ) {
    this.startedAt = clock.now().getTime();
  }

  /** 200, or 304 for a caller that has it. */
  @Get([...DOCUMENT_PATHS])
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const path = request.routeOptions.url as DocumentPath;
    this.documents.at(path).send(reply, request.headers['if-none-match']);
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
