import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { CompareQuery, DaysQuery, readCompare, readDays } from '../queries/queries';
import { EndpointsView } from './endpoints.view';
import { ReadEndpoints } from './read-endpoints';

@OperatorOnly()
@Controller('v1/admin/revenue/endpoints')
export class EndpointsController {
  constructor(private readonly endpoints: ReadEndpoints) {}

  @Get()
  @ApiOperation({
    operationId: 'getRevenueByEndpoint',
    description: 'Every endpoint for sale, in the order of the price list.',
    summary: 'Revenue by endpoint, those without traffic included',
  })
  @DaysQuery()
  @CompareQuery()
  @ApiOkResponse({ type: EndpointsView })
  read(@Query('days') days: unknown, @Query('compare') compare: unknown): Promise<EndpointsView> {
    return this.endpoints.execute(readDays(days), readCompare(compare));
  }
}
