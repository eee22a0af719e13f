import { Optional, PAID_PLAN_CODES } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';

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
