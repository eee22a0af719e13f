import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { AsOfView, CallFiguresView } from '../figures/figures.view';

export class WindowFiguresView extends CallFiguresView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
}

export class DayFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date' }) date!: string;
}

export class AllTimeFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date', nullable: true, type: String, description: 'day of the first call' })
  since!: string | null;
}

/** Payments by what became of them. */
export class SettlementView {
  @ApiProperty({ type: 'integer' }) settled!: number;
  @ApiProperty({ type: 'integer' }) pending!: number;
  @ApiProperty({ type: 'integer' }) needs_reconciliation!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
}

export class EndpointCostView {
  @ApiProperty() endpoint!: string;
  @ApiProperty() per_call_usd_exact!: string;
}

/** What is attributed to calls from now on; earlier ones keep what they were given. */
export class CostModelView {
  @ApiProperty() version!: string;
  @ApiProperty({ nullable: true, type: String, description: 'null when it differs by endpoint' })
  per_call_usd_exact!: string | null;
  @ApiProperty() per_settlement_usd_exact!: string;
  @ApiProperty({ required: false, type: [EndpointCostView], description: 'only when it differs by endpoint' })
  per_endpoint?: EndpointCostView[];
}

export class PreviousFiguresView {
  @ApiProperty() window!: WindowFiguresView;
  @ApiProperty({ description: 'yesterday, whole' }) today!: DayFiguresView;
}

@ApiExtraModels(PreviousFiguresView)
export class SummaryView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty() window!: WindowFiguresView;
  @ApiProperty() today!: DayFiguresView;
  @ApiProperty() all_time!: AllTimeFiguresView;
  @ApiProperty() settlement!: SettlementView;
  @ApiProperty() cost_model!: CostModelView;
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the days before the window, and the day before today',
    allOf: [{ $ref: getSchemaPath(PreviousFiguresView) }],
  })
  previous?: PreviousFiguresView;
}
