import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { CompareQuery, DaysQuery, readCompare, readDays } from '../queries/queries';
import { ReadSummary } from './read-summary';
import { SummaryView } from './summary.view';

@OperatorOnly()
@Controller('v1/admin/revenue/summary')
export class SummaryController {
  constructor(private readonly summary: ReadSummary) {}

  @Get()
  @ApiOperation({
    operationId: 'getRevenueSummary',
    description: 'Window, current UTC day and all time; money rounded to cents and exact.',
    summary: 'Gross revenue, attributed cost and net margin: window, current UTC day, all time',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: SummaryView })
  read(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<SummaryView> {
    return this.summary.execute(readDays(days), readCompare(compare));
  }
}
