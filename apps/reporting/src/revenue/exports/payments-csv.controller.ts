import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { DaysQuery, readDays, readStatus, StatusQuery } from '../queries/queries';
import { ExportPayments } from './export-payments';

@OperatorOnly()
@Controller('v1/admin/revenue/payments.csv')
export class PaymentsCsvController {
  constructor(private readonly payments: ExportPayments) {}

  @Get()
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
  async read(
    @Query('days') days: unknown,
    @Query('status') status: unknown,
    @Req() { method }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { stream, window, freshness } = await this.payments.execute(readDays(days), readStatus(status));
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="payments-${window.from}-${window.to}.csv"`,
      'x-as-of': freshness.asOf.toISOString(),
      'x-lag-seconds': String(freshness.lagSeconds),
    });
    if (method !== 'HEAD') return void reply.send(stream);
    stream.destroy();
    void reply.send();
  }
}
