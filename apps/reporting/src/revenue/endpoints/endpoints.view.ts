import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';

export class EndpointRevenueView {
  @ApiProperty() endpoint!: string;
  @ApiProperty() method!: string;
  @ApiProperty({ nullable: true, type: Money, description: 'null for one that is not for sale any more' })
  price!: Money | null;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ description: 'of the gross of all endpoints, in per cent with two decimals' }) share_pct!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets; one that paid for two endpoints counts at both' })
  unique_payers!: number;
  @ApiProperty({ format: 'date-time', nullable: true, type: String, description: 'latest call within these days' })
  last_call_at!: string | null;
}

export class PreviousEndpointsView {
  @ApiProperty({ type: 'integer' }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [EndpointRevenueView] }) endpoints!: EndpointRevenueView[];
}

@ApiExtraModels(PreviousEndpointsView)
export class EndpointsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [EndpointRevenueView], description: 'every endpoint for sale, in the order of the price list' })
  endpoints!: EndpointRevenueView[];
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the same of the days before',
    allOf: [{ $ref: getSchemaPath(PreviousEndpointsView) }],
  })
  previous?: PreviousEndpointsView;
}
