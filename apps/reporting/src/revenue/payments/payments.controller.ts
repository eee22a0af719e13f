import { CURSOR_SCHEMA, readCursor, UuidParam } from '@evenkeel/platform/validation';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly, OperatorRefusalView } from '../../operator-access/operator-only';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { BASIS, ENDPOINT, GROUP, LIMIT_PART, LIST_DAYS, PERIOD, SEARCH, STATUS, WALLET } from '../query-parts';
import { type QueryPart, RevenueQuery } from '../revenue-query';
import { paymentsFile } from './export-payments';
import { PaymentAnswerView, ReadPaymentHistory } from './read-payment-history';
import { PAYMENTS, PaymentsView, ReadPayments } from './read-payments';

const CURSOR: QueryPart<ReturnType<typeof readCursor>> = {
  members: [{ name: 'cursor', schema: CURSOR_SCHEMA, description: '`next_cursor` of the page before' }],
  read: (texts) => readCursor(PAYMENTS[BASIS.read(texts)], texts.cursor),
};

const PAGE = new RevenueQuery({
  limit: LIMIT_PART,
  search: SEARCH,
  status: STATUS,
  group: GROUP,
  endpoint: ENDPOINT,
  wallet: WALLET,
  days: LIST_DAYS,
  basis: BASIS,
  after: CURSOR,
});
const ONE = new RevenueQuery({});
const FILE = new RevenueQuery({ period: PERIOD, basis: BASIS, status: STATUS, wallet: WALLET });

/** Single payments: in pages, one with its story, and all of a window as a file. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class PaymentsController {
  constructor(
    private readonly payments: ReadPayments,
    private readonly payment: ReadPaymentHistory,
    private readonly exports: CsvExports,
  ) {}

  @Get('payments')
  @ApiOperation({
    operationId: 'listPayments',
    description: 'Open and failed ones too, with their status; only settled ones are revenue.',
    summary: 'Verified payments, newest first',
  })
  @PAGE.described()
  @ApiOkResponse({ type: PaymentsView })
  list(@Query() query: unknown): Promise<PaymentsView> {
    return this.payments.execute(PAGE.read(query));
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
  read(@UuidParam('id') id: string, @Query() query: unknown): Promise<PaymentAnswerView> {
    ONE.read(query);
    return this.payment.execute(id);
  }

  @Get('payments.csv')
  @ApiOperation({
    operationId: 'exportPayments',
    description:
      'RFC 4180, packed for who takes gzip. A text that a spreadsheet would run has an apostrophe in front. Revenue is what ' +
      'settled. `attributed_cost` is that of every answer: its sum with that of the redeemed lines of credits.csv is the cost.',
    summary: 'All payments of these days as CSV (RFC 4180), newest first',
  })
  @FILE.described()
  @AnswersCsv()
  async export(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { period, ...payments } = FILE.read(query);
    await this.exports.send(request, reply, period, paymentsFile(payments));
  }
}
