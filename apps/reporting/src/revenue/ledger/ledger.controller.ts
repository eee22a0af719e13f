import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { BasisQuery, CohortsQuery, PeriodQuery, ReconciliationQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { CustomersQuery } from './customers-query';
import { CREDITS_FILE } from './export-credits';
import { customersFile } from './export-customers';
import { CohortsView, readCohorts } from './read-cohorts';
import { CreditsView, readCredits } from './read-credits';
import { CustomersView, readCustomers } from './read-customers';
import { readReconciliation, ReconciliationView } from './read-reconciliation';

/** Wallets, the credits that are owed to them, and payments that a person may have to look at. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class LedgerController {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly exports: CsvExports,
  ) {}

  @Get('customers')
  @ApiOperation({
    operationId: 'listCustomers',
    description: 'Ranked by settled spend unless `sort` says otherwise, then by who came first.',
    summary: 'Wallets that pay, the distribution of tiers, rebates and outstanding credits',
  })
  @ApiOkResponse({ type: CustomersView })
  readCustomers(@Query() query: CustomersQuery): Promise<CustomersView> {
    return this.snapshot.read((tx, now) => readCustomers(tx, now, query));
  }

  @Get('customers.csv')
  @ApiOperation({
    operationId: 'exportCustomers',
    description: 'RFC 4180, packed for who takes gzip: who spent most in these days comes first.',
    summary: 'All wallets that paid in these days as CSV (RFC 4180)',
  })
  @AnswersCsv()
  async exportCustomers(
    @Query() { period, basis }: BasisQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.exports.send(request, reply, period, customersFile(basis));
  }

  @Get('reconciliation')
  @ApiOperation({
    operationId: 'getReconciliation',
    description: 'What a person may have to look at. Reads only: payments are closed with a command of the gateway.',
    summary: 'Payments that are unresolved, settled without a hash, or served and failed',
  })
  @ApiOkResponse({ type: ReconciliationView })
  readReconciliation(@Query() query: ReconciliationQuery): Promise<ReconciliationView> {
    return this.snapshot.read((tx) => readReconciliation(tx, query));
  }

  @Get('cohorts')
  @ApiOperation({
    operationId: 'getCohorts',
    description: 'From the month of the first payment to the present one.',
    summary: 'Wallets by the month of their first payment, and how many of them still pay',
  })
  @ApiOkResponse({ type: CohortsView })
  readCohorts(@Query() query: CohortsQuery): Promise<CohortsView> {
    return this.snapshot.read((tx, now) => readCohorts(tx, now, query));
  }

  @Get('credits')
  @ApiOperation({
    operationId: 'getCreditLiability',
    description: 'Face value of credits that are issued, not redeemed and not expired, day by day.',
    summary: 'The liability of call credits, rolled forward: opening and issued less redeemed and expired is closing',
  })
  @ApiOkResponse({ type: CreditsView })
  readCredits(@Query() query: PeriodQuery): Promise<CreditsView> {
    return this.snapshot.read((tx, now) => readCredits(tx, now, query));
  }

  @Get('credits.csv')
  @ApiOperation({
    operationId: 'exportCredits',
    description:
      'RFC 4180, newest first, packed for who takes gzip: a line for each credit that was `issued`, `redeemed` or `expired`. ' +
      'Issued less redeemed and expired is what is owed; face value is price and change.',
    summary: 'All credits that were issued, redeemed or expired in these days as CSV (RFC 4180)',
  })
  @AnswersCsv()
  async exportCredits(
    @Query() { period }: PeriodQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.exports.send(request, reply, period, CREDITS_FILE);
  }
}
