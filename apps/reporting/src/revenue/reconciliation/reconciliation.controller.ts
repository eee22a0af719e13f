import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { LimitQuery, readLimit } from '../queries/queries';
import { ReadReconciliation } from './read-reconciliation';
import { ReconciliationView } from './reconciliation.view';

@OperatorOnly()
@Controller('v1/admin/revenue/reconciliation')
export class ReconciliationController {
  constructor(private readonly reconciliation: ReadReconciliation) {}

  @Get()
  @ApiOperation({
    operationId: 'getReconciliation',
    description: 'What a person may have to look at. Reads only: payments are closed with a command of the gateway.',
    summary: 'Payments that are unresolved, settled without a hash, or served and failed',
  })
  @LimitQuery()
  @ApiOkResponse({ type: ReconciliationView })
  read(@Query('limit') limit: unknown): Promise<ReconciliationView> {
    return this.reconciliation.execute(readLimit(limit));
  }
}
