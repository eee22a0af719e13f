import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { OperatorOnly } from '../../operator-access/operator-only.decorator';
import { DaysQuery, readDays } from '../queries/queries';
import { CreditsView } from './credits.view';
import { ReadCredits } from './read-credits';

@OperatorOnly()
@Controller('v1/admin/revenue/credits')
export class CreditsController {
  constructor(private readonly credits: ReadCredits) {}

  @Get()
  @ApiOperation({
    operationId: 'getCreditLiability',
    description: 'Face value of credits that are issued and not redeemed, day by day.',
    summary: 'The liability of call credits, rolled forward: opening and issued less redeemed is closing',
  })
  @DaysQuery()
  @ApiOkResponse({ type: CreditsView })
  read(@Query('days') days: unknown): Promise<CreditsView> {
    return this.credits.execute(readDays(days));
  }
}
