import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { CompareQuery, DaysQuery, readCompare, readDays } from '../queries/queries';
import { ReadTimeseries } from './read-timeseries';
import { TimeseriesView } from './timeseries.view';

@OperatorOnly()
@Controller('v1/admin/revenue/timeseries')
export class TimeseriesController {
  constructor(private readonly timeseries: ReadTimeseries) {}

  @Get()
  @ApiOperation({
    operationId: 'getRevenueTimeseries',
    description: 'Oldest first; the sums are those of the summary.',
    summary: 'One zero-filled point per UTC day',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: TimeseriesView })
  read(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<TimeseriesView> {
    return this.timeseries.execute(readDays(days), readCompare(compare));
  }
}
