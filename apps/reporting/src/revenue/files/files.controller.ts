import { applyDecorators, Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { OperatorOnly } from '../../operator-access/operator-only';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import type { Money } from '../figures/figures';
import { PaymentsFileQuery } from '../payments/read-payments';
import { BasisQuery, PeriodQuery, StatementQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { readStatement, type StatementView } from '../statement/read-statement';
import { csvLine } from './csv-export';
import { CSV_HEADERS, CsvExports } from './csv-exports';
import { CREDITS_FILE, customersFile, INVOICES_FILE, paymentsFile } from './csv-files';

function CsvFile(path: string, operationId: string, said: { summary: string; description: string }): MethodDecorator {
  const description = 'as_of and lag_seconds are in the headers X-As-Of and X-Lag-Seconds';
  const answer = ApiOkResponse({ description, schema: { type: 'string' } });
  return applyDecorators(Get(path), ApiOperation({ operationId, ...said }), ApiProduces('text/csv'), answer);
}

@OperatorOnly()
@Controller('v1/admin/revenue')
export class FilesController {
  constructor(
    private readonly exports: CsvExports,
    private readonly snapshot: RevenueSnapshot,
  ) {}

  @CsvFile('payments.csv', 'exportPayments', {
    description:
      'RFC 4180, packed for who takes gzip. A text that a spreadsheet would run has an apostrophe in front. Revenue is what ' +
      'settled. `attributed_cost` is that of every answer: its sum with that of the redeemed lines of credits.csv is the cost.',
    summary: 'All payments of these days as CSV (RFC 4180), newest first',
  })
  async exportPayments(@Query() query: PaymentsFileQuery, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.send(reply, query.period, paymentsFile(query));
  }

  @CsvFile('customers.csv', 'exportCustomers', {
    description: 'RFC 4180, packed for who takes gzip: who spent most in these days comes first.',
    summary: 'All wallets that paid in these days as CSV (RFC 4180)',
  })
  async exportCustomers(@Query() { period, basis }: BasisQuery, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.send(reply, period, customersFile(basis));
  }

  @CsvFile('credits.csv', 'exportCredits', {
    description:
      'RFC 4180, newest first, packed for who takes gzip: a line for each credit that was `issued`, `redeemed` or `expired`. ' +
      'Issued less redeemed and expired is what is owed; face value is price and change.',
    summary: 'All credits that were issued, redeemed or expired in these days as CSV (RFC 4180)',
  })
  async exportCredits(@Query() { period }: PeriodQuery, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.send(reply, period, CREDITS_FILE);
  }

  @CsvFile('invoices.csv', 'exportInvoices', {
    description:
      'RFC 4180, newest first: a line for each paid invoice, and one for each refund and dispute on its own day. Amounts are ' +
      'positive; `kind` is `paid`, `refund`, `refund_failed`, `dispute` or `dispute_won`. A dispute that is lost moves no ' +
      'money and has no line.',
    summary: 'All paid invoices of these days, and what was given back in them, as CSV (RFC 4180)',
  })
  async exportInvoices(@Query() { period }: PeriodQuery, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.send(reply, period, INVOICES_FILE);
  }

  @CsvFile('statement.csv', 'exportStatement', {
    description: 'RFC 4180: a line for each figure of the statement, with its section.',
    summary: 'One calendar month as CSV (RFC 4180)',
  })
  async exportStatement(@Query() query: StatementQuery, @Res() reply: FastifyReply): Promise<void> {
    const read = (tx: EntityManager, now: Date) => readStatement(tx, now, query);
    const statement = await this.snapshot.read(read, [LEDGER_PROJECTION, SUBSCRIPTIONS_PROJECTION]);
    void reply.headers({
      ...CSV_HEADERS,
      'content-disposition': `attachment; filename="statement-${query.month}.csv"`,
      'x-as-of': statement.as_of,
      'x-lag-seconds': String(statement.lag_seconds),
    });
    void reply.send([STATEMENT_TITLES, ...statementLines(statement)].map(csvLine).join(''));
  }
}

const STATEMENT_TITLES = ['month', 'section', 'item', 'count', 'amount_usd'];

type Line = (string | null)[];

function statementLines({ month, calls, credits, subscriptions, corrected_since: since }: StatementView): Line[] {
  const line = (section: string, item: string, count: number | null, amount: Money | null): Line => [
    month,
    section,
    item,
    count === null ? null : String(count),
    amount?.usd_exact ?? null,
  ];
  const amounts = (section: string, of: object): Line[] =>
    Object.entries(of).map(([item, value]: [string, Money | number | null]) =>
      typeof value === 'number' ? line(section, item, value, null) : line(section, item, null, value),
    );
  const { endpoints, ...sums } = calls;
  const { rebate_redeemed, returned_change, ...flows } = credits;
  return [
    ...endpoints.flatMap(({ endpoint, ...figures }) => amounts(endpoint, figures)),
    ...amounts('calls', sums),
    ...Object.entries(flows).map(([item, flow]) => line('credits', item, flow.credits, flow.face_value)),
    ...amounts('credits', { rebate_redeemed, returned_change }),
    ...amounts('mrr', subscriptions.mrr),
    ...amounts('subscribers', subscriptions.subscribers),
    ...amounts('invoices', subscriptions.invoices),
    ...amounts('corrected_since calls', since.calls),
    ...amounts('corrected_since invoices', since.invoices),
  ];
}
