import { Module } from '@nestjs/common';
import { Facilitator, OfferRequirements } from './facilitator.port';
import { HttpFacilitator } from './http-facilitator';

@Module({
  providers: [{ provide: Facilitator, useClass: HttpFacilitator }, OfferRequirements],
  exports: [Facilitator, OfferRequirements],
})
export class FacilitatorModule {}
