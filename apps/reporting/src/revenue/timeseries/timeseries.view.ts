import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';

export class PointView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets of the day' }) unique_payers!: number;
}

export class PreviousTimeseriesView {
  @ApiProperty({ type: 'integer' }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [PointView] }) points!: PointView[];
}

@ApiExtraModels(PreviousTimeseriesView)
export class TimeseriesView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [PointView], description: 'one for each day, oldest first' }) points!: PointView[];
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the same of the days before',
    allOf: [{ $ref: getSchemaPath(PreviousTimeseriesView) }],
  })
  previous?: PreviousTimeseriesView;
}
