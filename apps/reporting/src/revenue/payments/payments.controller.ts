import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { LimitQuery, readLimit, readStatus, StatusQuery } from '../queries/queries';
import { readCursor, ReadPayments } from './read-payments';
import { PaymentsView } from './payments.view';

@OperatorOnly()
@Controller('v1/admin/revenue/payments')
export class PaymentsController {
  constructor(private readonly payments: ReadPayments) {}

  @Get()
  @ApiOperation({
    operationId: 'listPayments',
    description: 'Open and failed ones too, with their status; only settled ones are revenue.',
    summary: 'Verified payments, newest first',
  })
  @LimitQuery()
  @StatusQuery()
  @ApiQuery({
    name: 'cursor',
    required: false,
    schema: { type: 'string' },
    description: '`next_cursor` of the page before',
  })
  @ApiOkResponse({ type: PaymentsView })
  read(
    @Query('limit') limit: unknown,
    @Query('status') status: unknown,
    @Query('cursor') cursor: unknown,
  ): Promise<PaymentsView> {
    return this.payments.execute({ limit: readLimit(limit), status: readStatus(status), after: readCursor(cursor) });
  }
}
