import { csvLine } from '@evenkeel/platform/validation';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { AnswersCsv } from '../csv-exports';
import { MONTH, STATEMENT_BASIS } from '../query-parts';
import { RevenueQuery } from '../revenue-query';
import { ReadStatement, StatementView } from './read-statement';
import { STATEMENT_TITLES, statementLines } from './statement-lines';

const STATEMENT = new RevenueQuery({ month: MONTH, basis: STATEMENT_BASIS });

/** A month for the books. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class StatementController {
  constructor(private readonly statement: ReadStatement) {}

  @Get('statement')
  @ApiOperation({
    operationId: 'getStatement',
    description:
      'By settlement unless `basis` says otherwise: then a month that is over does not change. It adds up by itself, and to ' +
      'payments.csv, credits.csv and invoices.csv of the month.',
    summary: 'One calendar month: calls, credits owed, subscriptions, and what was corrected since',
  })
  @STATEMENT.described()
  @ApiOkResponse({ type: StatementView })
  read(@Query() query: unknown): Promise<StatementView> {
    const { month, basis } = STATEMENT.read(query);
    return this.statement.execute(month, basis);
  }

  @Get('statement.csv')
  @ApiOperation({
    operationId: 'exportStatement',
    description: 'RFC 4180: a line for each figure of the statement, with its section.',
    summary: 'One calendar month as CSV (RFC 4180)',
  })
  @STATEMENT.described()
  @AnswersCsv()
  async export(@Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { month, basis } = STATEMENT.read(query);
    const statement = await this.statement.execute(month, basis);
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="statement-${month}.csv"`,
      'x-as-of': statement.as_of,
      'x-lag-seconds': String(statement.lag_seconds),
    });
    void reply.send([STATEMENT_TITLES, ...statementLines(statement)].map(csvLine).join(''));
  }
}
