import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only';
import { DaysQuery, LimitQuery, MonthsQuery, readDays, readLimit, readMonths } from '../revenue-queries';
import { CohortsView, ReadCohorts } from './read-cohorts';
import { CreditsView, ReadCredits } from './read-credits';
import { CustomersView, ReadCustomers } from './read-customers';
import { ReadReconciliation, ReconciliationView } from './read-reconciliation';

/** Wallets, the credits that are owed to them, and payments that a person may have to look at. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class LedgerController {
  constructor(
    private readonly customers: ReadCustomers,
    private readonly reconciliation: ReadReconciliation,
    private readonly cohorts: ReadCohorts,
    private readonly credits: ReadCredits,
  ) {}

  @Get('customers')
  @ApiOperation({
    operationId: 'listCustomers',
    description: 'Ranked by settled spend, then by who came first.',
    summary: 'Wallets by lifetime spend, the distribution of tiers, rebates and outstanding credits',
  })
  @LimitQuery()
  @ApiOkResponse({ type: CustomersView })
  readCustomers(@Query('limit') limit: unknown): Promise<CustomersView> {
    return this.customers.execute(readLimit(limit));
  }

  @Get('reconciliation')
  @ApiOperation({
    operationId: 'getReconciliation',
    description: 'What a person may have to look at. Reads only: payments are closed with a command of the gateway.',
    summary: 'Payments that are unresolved, settled without a hash, or served and failed',
  })
  @LimitQuery()
  @ApiOkResponse({ type: ReconciliationView })
  readReconciliation(@Query('limit') limit: unknown): Promise<ReconciliationView> {
    return this.reconciliation.execute(readLimit(limit));
  }

  @Get('cohorts')
  @ApiOperation({
    operationId: 'getCohorts',
    description: 'From the month of the first payment to the present one.',
    summary: 'Wallets by the month of their first payment, and how many of them still pay',
  })
  @MonthsQuery()
  @ApiOkResponse({ type: CohortsView })
  readCohorts(@Query('months') months: unknown): Promise<CohortsView> {
    return this.cohorts.execute(readMonths(months));
  }

  @Get('credits')
  @ApiOperation({
    operationId: 'getCreditLiability',
    description: 'Face value of credits that are issued and not redeemed, day by day.',
    summary: 'The liability of call credits, rolled forward: opening and issued less redeemed is closing',
  })
  @DaysQuery()
  @ApiOkResponse({ type: CreditsView })
  readCredits(@Query('days') days: unknown): Promise<CreditsView> {
    return this.credits.execute(readDays(days));
  }
}
