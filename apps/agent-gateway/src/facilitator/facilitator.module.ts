import { Module } from '@nestjs/common';
import { Facilitator } from './facilitator.port';
import { HttpFacilitator } from './http-facilitator';
import { OfferRequirements } from './payment-requirements';

@Module({
  providers: [{ provide: Facilitator, useClass: HttpFacilitator }, OfferRequirements],
  exports: [Facilitator, OfferRequirements],
})
export class FacilitatorModule {}
