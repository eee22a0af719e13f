import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCUMENT_PATHS, Documents, type DocumentPath } from './documents';

/** The documents that machines find us by: free, without authentication. */
@Controller()
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
export class DocumentsController {
  constructor(private readonly documents: Documents) {}

  /** 200, or 304 for a caller that has it. */
  @Get([...DOCUMENT_PATHS])
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const path = request.routeOptions.url as DocumentPath;
    this.documents.at(path).send(reply, request.headers['if-none-match']);
  }
}
