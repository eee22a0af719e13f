import { UuidParam } from '@evenkeel/platform/validation';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly, OperatorRefusalView } from '../../operator-access/operator-only';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { NoQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { paymentsFile } from './export-payments';
import { PaymentsFileQuery, PaymentsQuery } from './payments-query';
import { PaymentAnswerView, readPayment } from './read-payment-history';
import { PaymentsView, readPayments } from './read-payments';

/** Single payments: in pages, one with its story, and all of a window as a file. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class PaymentsController {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly exports: CsvExports,
  ) {}

  @Get('payments')
  @ApiOperation({
    operationId: 'listPayments',
    description: 'Open and failed ones too, with their status; only settled ones are revenue.',
    summary: 'Verified payments, newest first',
  })
  @ApiOkResponse({ type: PaymentsView })
  list(@Query() query: PaymentsQuery): Promise<PaymentsView> {
    return this.snapshot.read((tx, now) => readPayments(tx, now, query));
  }

  @Get('payments/:id')
  @ApiOperation({
    operationId: 'getPayment',
    description: 'Everything that is known of it, and the states it went through.',
    summary: 'One payment with its story',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ type: PaymentAnswerView })
  @ApiNotFoundResponse({ description: '`payment_not_found`', type: OperatorRefusalView })
  read(@UuidParam('id') id: string, @Query() _query: NoQuery): Promise<PaymentAnswerView> {
    return this.snapshot.read((tx) => readPayment(tx, id));
  }

  @Get('payments.csv')
  @ApiOperation({
    operationId: 'exportPayments',
    description:
      'RFC 4180, packed for who takes gzip. A text that a spreadsheet would run has an apostrophe in front. Revenue is what ' +
      'settled. `attributed_cost` is that of every answer: its sum with that of the redeemed lines of credits.csv is the cost.',
    summary: 'All payments of these days as CSV (RFC 4180), newest first',
  })
  @AnswersCsv()
  async export(
    @Query() query: PaymentsFileQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.exports.send(request, reply, query.period, paymentsFile(query));
  }
}
