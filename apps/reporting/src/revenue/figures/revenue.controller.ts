import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only';
import { ReportingConfig } from '../../reporting.config';
import { FiguresQuery, SeriesQuery } from '../revenue-query';
import { RevenueSnapshot } from '../revenue-snapshot';
import { EndpointsView, readEndpoints } from './read-endpoints';
import { readSummary, SummaryView } from './read-summary';
import { readTimeseries, TimeseriesView } from './read-timeseries';

/** Money of a window of days. */
@OperatorOnly()
@Controller('v1/admin/revenue')
export class RevenueController {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly config: ReportingConfig,
  ) {}

  @Get('summary')
  @ApiOperation({
    operationId: 'getRevenueSummary',
    description: 'Window, current UTC day and all time; money rounded to cents and exact.',
    summary: 'Gross revenue, attributed cost and net margin: window, current UTC day, all time',
  })
  @ApiOkResponse({ type: SummaryView })
  readSummary(@Query() query: FiguresQuery): Promise<SummaryView> {
    return this.snapshot.read((tx, now) => readSummary(tx, now, query, this.config));
  }

  @Get('endpoints')
  @ApiOperation({
    operationId: 'getRevenueByEndpoint',
    description: 'Every endpoint for sale, in the order of the price list.',
    summary: 'Revenue by endpoint, those without traffic included',
  })
  @ApiOkResponse({ type: EndpointsView })
  readEndpoints(@Query() query: FiguresQuery): Promise<EndpointsView> {
    return this.snapshot.read((tx, now) => readEndpoints(tx, now, query));
  }

  @Get('timeseries')
  @ApiOperation({
    operationId: 'getRevenueTimeseries',
    description: 'Oldest first; the sums are those of the summary.',
    summary: 'One zero-filled point per UTC day, or per hour, week or month',
  })
  @ApiOkResponse({ type: TimeseriesView })
  readTimeseries(@Query() query: SeriesQuery): Promise<TimeseriesView> {
    return this.snapshot.read((tx, now) => readTimeseries(tx, now, query));
  }
}
