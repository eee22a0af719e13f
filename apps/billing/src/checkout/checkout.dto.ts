import { Optional, PAID_PLAN_CODES, type PaidPlanCode } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { CURRENCY, decimalOf } from '../plans/plan-catalogue';

const PORTAL_FLOWS = ['payment_method'] as const;

export class CheckoutBody {
  @ApiProperty({ enum: PAID_PLAN_CODES }) @IsString() @MaxLength(64) plan!: string;
}

export class PortalBody {
  @ApiProperty({ required: false, enum: PORTAL_FLOWS, description: 'where the portal opens; left out: its first page' })
  @Optional()
  @IsIn(PORTAL_FLOWS)
  flow?: (typeof PORTAL_FLOWS)[number];
}

export class ChangePlanBody {
  @ApiProperty({ enum: PAID_PLAN_CODES }) @IsString() @MaxLength(64) plan!: string;
  @ApiProperty({ required: false, description: 'says what it would cost, and changes nothing' })
  @Optional()
  @IsBoolean()
  preview?: boolean;
}

export class CheckoutView {
  @ApiProperty({ enum: ['stripe'] }) provider!: 'stripe';
  @ApiProperty({ enum: PAID_PLAN_CODES }) plan!: PaidPlanCode;
  @ApiProperty({ format: 'uri', description: 'the page of the provider where it is paid' }) checkout_url!: string;
  @ApiProperty() session_id!: string;
}

export class PortalView {
  @ApiProperty({ format: 'uri', description: 'card, invoices and cancellation, at the provider' }) portal_url!: string;
}

export class AmountView {
  @ApiProperty({ type: 'integer', description: 'this one is charged' }) cents!: number;
  @ApiProperty({ description: 'decimal text' }) amount!: string;
  @ApiProperty({ description: 'ISO 4217' }) currency!: string;
  @ApiProperty({ description: 'as people read it' }) display!: string;

  static of(cents: number): AmountView {
    return { cents, amount: decimalOf(cents), currency: CURRENCY, display: `$${decimalOf(cents)}` };
  }
}

export class NextAmountView extends AmountView {
  @ApiProperty({ format: 'date-time' }) at!: string;
}

/** The cost of a change of plan. */
export class PlanPreviewView {
  @ApiProperty({ description: 'after what is left of the present plan' }) due_now!: AmountView;
  @ApiProperty({ description: 'the payment after that, less what is left then' }) next!: NextAmountView;
}
