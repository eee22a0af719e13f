import { Module } from '@nestjs/common';
import { Facilitator } from './facilitator';
import { OfferRequirements } from './payment-requirements';

@Module({
  providers: [Facilitator, OfferRequirements],
  exports: [Facilitator, OfferRequirements],
})
export class FacilitatorModule {}
