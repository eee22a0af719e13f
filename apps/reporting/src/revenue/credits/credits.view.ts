import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';

export class CreditFlowView {
  @ApiProperty({ type: 'integer' }) credits!: number;
  @ApiProperty() face_value!: Money;
}

export class CreditDayView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty() issued!: CreditFlowView;
  @ApiProperty() redeemed!: CreditFlowView;
  @ApiProperty({ description: 'outstanding at the end of the day' }) closing!: CreditFlowView;
}

/** Calls owed: opening and issued less redeemed is closing, in number and in money. */
export class CreditsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ description: 'outstanding before the first day' }) opening!: CreditFlowView;
  @ApiProperty() issued!: CreditFlowView;
  @ApiProperty() redeemed!: CreditFlowView;
  @ApiProperty({ description: 'outstanding after the last day' }) closing!: CreditFlowView;
  @ApiProperty({ description: 'prices of the calls that the redeemed ones have paid' }) rebate_redeemed!: Money;
  @ApiProperty({ description: 'their face value beyond these prices, back with the wallets' }) returned_change!: Money;
  @ApiProperty({ type: [CreditDayView], description: 'one for each day, oldest first' }) points!: CreditDayView[];
}
