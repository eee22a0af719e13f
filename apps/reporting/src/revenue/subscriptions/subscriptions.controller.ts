import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { COMPARE, PERIOD } from '../query-parts';
import { RevenueQuery } from '../revenue-query';
import { INVOICES_FILE } from './export-invoices';
import { ReadSubscriptions } from './read-subscriptions';
import { SubscriptionsView } from './subscription-figures';

const SUBSCRIPTIONS = new RevenueQuery({ period: PERIOD, compare: COMPARE });
const INVOICES = new RevenueQuery({ period: PERIOD });

/** Revenue of subscriptions: recurring revenue and invoices. Never added to the revenue of calls. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: ReadSubscriptions,
    private readonly exports: CsvExports,
  ) {}

  @Get('subscriptions')
  @ApiOperation({
    operationId: 'getSubscriptionRevenue',
    description:
      'Start and movements add up to the end, exactly, for every day and window. No revenue of calls is in it.',
    summary: 'Monthly recurring revenue with its movements, subscribers, plans, standing and invoices',
  })
  @SUBSCRIPTIONS.described()
  @ApiOkResponse({ type: SubscriptionsView })
  read(@Query() query: unknown): Promise<SubscriptionsView> {
    const { period, compare } = SUBSCRIPTIONS.read(query);
    return this.subscriptions.execute(period, compare);
  }

  @Get('invoices.csv')
  @ApiOperation({
    operationId: 'exportInvoices',
    description:
      'RFC 4180, newest first: a line for each paid invoice, and one for each refund and dispute on its own day. Amounts are ' +
      'positive; `kind` is `paid`, `refund`, `refund_failed`, `dispute` or `dispute_won`. A dispute that is lost moves no ' +
      'money and has no line.',
    summary: 'All paid invoices of these days, and what was given back in them, as CSV (RFC 4180)',
  })
  @INVOICES.described()
  @AnswersCsv()
  async export(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.send(request, reply, INVOICES.read(query).period, INVOICES_FILE);
  }
}
