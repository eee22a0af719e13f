import { Module } from '@nestjs/common';
import { Facilitator } from './facilitator.port';
import { HttpFacilitator } from './http-facilitator';
import { OfferWordings } from './offer-wordings';

@Module({
  providers: [{ provide: Facilitator, useClass: HttpFacilitator }, OfferWordings],
  exports: [Facilitator, OfferWordings],
})
export class FacilitatorModule {}
