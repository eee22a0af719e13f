import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Headers, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CachedDocument } from '@evenkeel/platform/http';
import { goldenVectors } from './golden-vectors';

/** Lets a buyer check the engine, or an implementation of his own, before and after he pays; free. */
@Controller('agent/v1/vectors')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class VectorsController {
  private readonly document = new CachedDocument(goldenVectors());

  /** 200, or 304 for a caller that has them. */
  @Get()
  list(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    this.document.send(reply, known);
  }
}
