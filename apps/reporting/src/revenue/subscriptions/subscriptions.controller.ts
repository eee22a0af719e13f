import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { ComparedPeriodQuery, PeriodQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { INVOICES_FILE } from './export-invoices';
import { readSubscriptions } from './read-subscriptions';
import { SubscriptionsView } from './subscription-figures';

/** Revenue of subscriptions: recurring revenue and invoices. Never added to the revenue of calls. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class SubscriptionsController {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly exports: CsvExports,
  ) {}

  @Get('subscriptions')
  @ApiOperation({
    operationId: 'getSubscriptionRevenue',
    description:
      'Start and movements add up to the end, exactly, for every day and window. No revenue of calls is in it.',
    summary: 'Monthly recurring revenue with its movements, subscribers, plans, standing and invoices',
  })
  @ApiOkResponse({ type: SubscriptionsView })
  read(@Query() query: ComparedPeriodQuery): Promise<SubscriptionsView> {
    return this.snapshot.read((tx, now) => readSubscriptions(tx, now, query), SUBSCRIPTIONS_PROJECTION);
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
  @AnswersCsv()
  async export(
    @Query() { period }: PeriodQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.exports.send(request, reply, period, INVOICES_FILE);
  }
}
