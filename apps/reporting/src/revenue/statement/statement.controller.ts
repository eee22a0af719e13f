import { csvLine } from '@evenkeel/platform/validation';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { OperatorOnly } from '../../operator-access/operator-only';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { AnswersCsv } from '../csv-exports';
import { StatementQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { readStatement, StatementView } from './read-statement';
import { STATEMENT_TITLES, statementLines } from './statement-lines';

/** A month for the books. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class StatementController {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  @Get('statement')
  @ApiOperation({
    operationId: 'getStatement',
    description:
      'By settlement unless `basis` says otherwise: then a month that is over does not change. It adds up by itself, and to ' +
      'payments.csv, credits.csv and invoices.csv of the month.',
    summary: 'One calendar month: calls, credits owed, subscriptions, and what was corrected since',
  })
  @ApiOkResponse({ type: StatementView })
  read(@Query() query: StatementQuery): Promise<StatementView> {
    const work = (tx: EntityManager, now: Date) => readStatement(tx, now, query);
    return this.snapshot.read(work, LEDGER_PROJECTION, SUBSCRIPTIONS_PROJECTION);
  }

  @Get('statement.csv')
  @ApiOperation({
    operationId: 'exportStatement',
    description: 'RFC 4180: a line for each figure of the statement, with its section.',
    summary: 'One calendar month as CSV (RFC 4180)',
  })
  @AnswersCsv()
  async export(@Query() query: StatementQuery, @Res() reply: FastifyReply): Promise<void> {
    const statement = await this.read(query);
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="statement-${query.month}.csv"`,
      'x-as-of': statement.as_of,
      'x-lag-seconds': String(statement.lag_seconds),
    });
    void reply.send([STATEMENT_TITLES, ...statementLines(statement)].map(csvLine).join(''));
  }
}
