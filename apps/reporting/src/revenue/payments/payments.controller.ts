import { readCursor } from '@evenkeel/platform/lists';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { sendCsv } from '../csv-exports';
import { DaysQuery, LimitQuery, readDays, readLimit, readStatus, StatusQuery } from '../revenue-queries';
import { ExportPayments } from './export-payments';
import { PAYMENTS, PaymentsView, ReadPayments } from './read-payments';

/** Single payments: in pages, and all of a window as a file. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class PaymentsController {
  constructor(
    private readonly payments: ReadPayments,
    private readonly exports: ExportPayments,
  ) {}

  @Get('payments')
  @ApiOperation({
    operationId: 'listPayments',
    description: 'Open and failed ones too, with their status; only settled ones are revenue.',
    summary: 'Verified payments, newest first',
  })
  @LimitQuery()
  @StatusQuery()
  @ApiQuery({
    name: 'cursor',
    required: false,
    schema: { type: 'string' },
    description: '`next_cursor` of the page before',
  })
  @ApiOkResponse({ type: PaymentsView })
  list(
    @Query('limit') limit: unknown,
    @Query('status') status: unknown,
    @Query('cursor') cursor: unknown,
  ): Promise<PaymentsView> {
    return this.payments.execute({
      limit: readLimit(limit),
      status: readStatus(status),
      after: readCursor(PAYMENTS, cursor),
    });
  }

  @Get('payments.csv')
  @ApiOperation({
    operationId: 'exportPayments',
    description: 'RFC 4180. A text that a spreadsheet would run has an apostrophe in front.',
    summary: 'All payments of these days as CSV (RFC 4180), newest first',
  })
  @DaysQuery()
  @StatusQuery()
  @ApiProduces('text/csv')
  @ApiOkResponse({
    description: 'as_of and lag_seconds are in the headers X-As-Of and X-Lag-Seconds',
    schema: { type: 'string' },
  })
  async export(
    @Query('days') days: unknown,
    @Query('status') status: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendCsv(request, reply, await this.exports.execute(readDays(days), readStatus(status)));
  }
}
