import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { CohortsView } from './cohorts.view';
import { MonthsQuery, readMonths } from '../queries/queries';
import { ReadCohorts } from './read-cohorts';

@OperatorOnly()
@Controller('v1/admin/revenue/cohorts')
export class CohortsController {
  constructor(private readonly cohorts: ReadCohorts) {}

  @Get()
  @ApiOperation({
    operationId: 'getCohorts',
    description: 'From the month of the first payment to the present one.',
    summary: 'Wallets by the month of their first payment, and how many of them still pay',
  })
  @MonthsQuery()
  @ApiOkResponse({ type: CohortsView })
  read(@Query('months') months: unknown): Promise<CohortsView> {
    return this.cohorts.execute(readMonths(months));
  }
}
