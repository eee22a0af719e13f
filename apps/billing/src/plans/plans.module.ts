import { Module } from '@nestjs/common';
import { ProviderModule } from '../provider/stripe-api';
import { PlansController } from './plans.controller';
import { ComparePrices, PurchasablePlans } from './purchasable-plans';

/** The prices of plans at the provider. */
@Module({ imports: [ProviderModule], providers: [ComparePrices], exports: [ComparePrices] })
export class PricesModule {}

/** The plans, with their prices. */
@Module({
  imports: [PricesModule],
  controllers: [PlansController],
  providers: [PurchasablePlans],
  exports: [PurchasablePlans],
})
export class PlansModule {}
