import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only';
import { BASIS, COMPARE, INTERVAL, PERIOD } from '../query-parts';
import { RevenueQuery } from '../revenue-query';
import { EndpointsView, ReadEndpoints } from './read-endpoints';
import { ReadSummary, SummaryView } from './read-summary';
import { ReadTimeseries, TimeseriesView } from './read-timeseries';

const FIGURES = new RevenueQuery({ period: PERIOD, basis: BASIS, compare: COMPARE });
const SERIES = new RevenueQuery({ period: PERIOD, basis: BASIS, compare: COMPARE, interval: INTERVAL });

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
  @FIGURES.described()
  @ApiOkResponse({ type: SummaryView })
  readSummary(@Query() query: unknown): Promise<SummaryView> {
    return this.summary.execute(FIGURES.read(query));
  }

  @Get('endpoints')
  @ApiOperation({
    operationId: 'getRevenueByEndpoint',
    description: 'Every endpoint for sale, in the order of the price list.',
    summary: 'Revenue by endpoint, those without traffic included',
  })
  @FIGURES.described()
  @ApiOkResponse({ type: EndpointsView })
  readEndpoints(@Query() query: unknown): Promise<EndpointsView> {
    return this.endpoints.execute(FIGURES.read(query));
  }

  @Get('timeseries')
  @ApiOperation({
    operationId: 'getRevenueTimeseries',
    description: 'Oldest first; the sums are those of the summary.',
    summary: 'One zero-filled point per UTC day, or per hour, week or month',
  })
  @SERIES.described()
  @ApiOkResponse({ type: TimeseriesView })
  readTimeseries(@Query() query: unknown): Promise<TimeseriesView> {
    const { interval, ...question } = SERIES.read(query);
    return this.timeseries.execute(question, interval);
  }
}
