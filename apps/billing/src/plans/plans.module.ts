import { Module } from '@nestjs/common';
import { ProviderModule } from '../provider/provider.module';
import { PlansController } from './plans.controller';
import { ComparePrices, PurchasablePlans } from './purchasable-plans';

/** What plans cost at the provider. */
@Module({ imports: [ProviderModule], providers: [ComparePrices], exports: [ComparePrices] })
export class PricesModule {}

/** What can be had, and for how much. */
@Module({
  imports: [PricesModule],
  controllers: [PlansController],
  providers: [PurchasablePlans],
  exports: [PurchasablePlans],
})
export class PlansModule {}
