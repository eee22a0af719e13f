import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only';
import { CompareQuery, DaysQuery, readCompare, readDays } from '../revenue-queries';
import { EndpointsView, ReadEndpoints } from './read-endpoints';
import { ReadSummary, SummaryView } from './read-summary';
import { ReadTimeseries, TimeseriesView } from './read-timeseries';

/** Money of a window of days. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class RevenueController {
  constructor(
    private readonly summary: ReadSummary,
    private readonly endpoints: ReadEndpoints,
    private readonly timeseries: ReadTimeseries,
  ) {}

  @Get('summary')
  @ApiOperation({
    operationId: 'getRevenueSummary',
    description: 'Window, current UTC day and all time; money rounded to cents and exact.',
    summary: 'Gross revenue, attributed cost and net margin: window, current UTC day, all time',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: SummaryView })
  readSummary(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<SummaryView> {
    return this.summary.execute(readDays(days), readCompare(compare));
  }

  @Get('endpoints')
  @ApiOperation({
    operationId: 'getRevenueByEndpoint',
    description: 'Every endpoint for sale, in the order of the price list.',
    summary: 'Revenue by endpoint, those without traffic included',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: EndpointsView })
  readEndpoints(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<EndpointsView> {
    return this.endpoints.execute(readDays(days), readCompare(compare));
  }

  @Get('timeseries')
  @ApiOperation({
    operationId: 'getRevenueTimeseries',
    description: 'Oldest first; the sums are those of the summary.',
    summary: 'One zero-filled point per UTC day',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: TimeseriesView })
  readTimeseries(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<TimeseriesView> {
    return this.timeseries.execute(readDays(days), readCompare(compare));
  }
}
