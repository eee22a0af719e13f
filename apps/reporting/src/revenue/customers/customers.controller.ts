import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { LimitQuery, readLimit } from '../queries/queries';
import { CustomersView } from './customers.view';
import { ReadCustomers } from './read-customers';

@OperatorOnly()
@Controller('v1/admin/revenue/customers')
export class CustomersController {
  constructor(private readonly customers: ReadCustomers) {}

  @Get()
  @ApiOperation({
    operationId: 'listCustomers',
    description: 'Ranked by settled spend, then by who came first.',
    summary: 'Wallets by lifetime spend, the distribution of tiers, rebates and outstanding credits',
  })
  @LimitQuery()
  @ApiOkResponse({ type: CustomersView })
  read(@Query('limit') limit: unknown): Promise<CustomersView> {
    return this.customers.execute(readLimit(limit));
  }
}
