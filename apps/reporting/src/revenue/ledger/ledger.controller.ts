import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperatorOnly } from '../../operator-access/operator-only';
import { AnswersCsv, CsvExports } from '../csv-exports';
import { BASIS, LIMIT_PART, MONTHS_PERIOD, PERIOD } from '../query-parts';
import { RevenueQuery } from '../revenue-query';
import { CUSTOMERS_ORDER } from './customers-query';
import { CREDITS_FILE } from './export-credits';
import { customersFile } from './export-customers';
import { CohortsView, ReadCohorts } from './read-cohorts';
import { CreditsView, ReadCredits } from './read-credits';
import { CustomersView, ReadCustomers } from './read-customers';
import { ReadReconciliation, ReconciliationView } from './read-reconciliation';

const CUSTOMERS = new RevenueQuery({ limit: LIMIT_PART, order: CUSTOMERS_ORDER });
const RECONCILIATION = new RevenueQuery({ limit: LIMIT_PART });
const COHORTS = new RevenueQuery({ period: MONTHS_PERIOD });
const CUSTOMERS_FILE = new RevenueQuery({ period: PERIOD, basis: BASIS });
const CREDITS = new RevenueQuery({ period: PERIOD });

/** Wallets, the credits that are owed to them, and payments that a person may have to look at. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class LedgerController {
  constructor(
    private readonly customers: ReadCustomers,
    private readonly reconciliation: ReadReconciliation,
    private readonly cohorts: ReadCohorts,
    private readonly credits: ReadCredits,
    private readonly exports: CsvExports,
  ) {}

  @Get('customers')
  @ApiOperation({
    operationId: 'listCustomers',
    description: 'Ranked by settled spend unless `sort` says otherwise, then by who came first.',
    summary: 'Wallets that pay, the distribution of tiers, rebates and outstanding credits',
  })
  @CUSTOMERS.described()
  @ApiOkResponse({ type: CustomersView })
  readCustomers(@Query() query: unknown): Promise<CustomersView> {
    const { limit, order } = CUSTOMERS.read(query);
    return this.customers.execute({ limit, ...order });
  }

  @Get('customers.csv')
  @ApiOperation({
    operationId: 'exportCustomers',
    description: 'RFC 4180, packed for who takes gzip: who spent most in these days comes first.',
    summary: 'All wallets that paid in these days as CSV (RFC 4180)',
  })
  @CUSTOMERS_FILE.described()
  @AnswersCsv()
  async exportCustomers(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { period, basis } = CUSTOMERS_FILE.read(query);
    await this.exports.send(request, reply, period, customersFile(basis));
  }

  @Get('reconciliation')
  @ApiOperation({
    operationId: 'getReconciliation',
    description: 'What a person may have to look at. Reads only: payments are closed with a command of the gateway.',
    summary: 'Payments that are unresolved, settled without a hash, or served and failed',
  })
  @RECONCILIATION.described()
  @ApiOkResponse({ type: ReconciliationView })
  readReconciliation(@Query() query: unknown): Promise<ReconciliationView> {
    return this.reconciliation.execute(RECONCILIATION.read(query).limit);
  }

  @Get('cohorts')
  @ApiOperation({
    operationId: 'getCohorts',
    description: 'From the month of the first payment to the present one.',
    summary: 'Wallets by the month of their first payment, and how many of them still pay',
  })
  @COHORTS.described()
  @ApiOkResponse({ type: CohortsView })
  readCohorts(@Query() query: unknown): Promise<CohortsView> {
    return this.cohorts.execute(COHORTS.read(query).period);
  }

  @Get('credits')
  @ApiOperation({
    operationId: 'getCreditLiability',
    description: 'Face value of credits that are issued, not redeemed and not expired, day by day.',
    summary: 'The liability of call credits, rolled forward: opening and issued less redeemed and expired is closing',
  })
  @CREDITS.described()
  @ApiOkResponse({ type: CreditsView })
  readCredits(@Query() query: unknown): Promise<CreditsView> {
    return this.credits.execute(CREDITS.read(query).period);
  }

  @Get('credits.csv')
  @ApiOperation({
    operationId: 'exportCredits',
    description:
      'RFC 4180, newest first, packed for who takes gzip: a line for each credit that was `issued`, `redeemed` or `expired`. ' +
      'Issued less redeemed and expired is what is owed; face value is price and change.',
    summary: 'All credits that were issued, redeemed or expired in these days as CSV (RFC 4180)',
  })
  @CREDITS.described()
  @AnswersCsv()
  async exportCredits(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.exports.send(request, reply, CREDITS.read(query).period, CREDITS_FILE);
  }
}
