import { Module } from '@nestjs/common';
import { PlansController } from './plans.controller';
import { PurchasablePlans } from './purchasable-plans';

/** What can be had, and for how much. */
@Module({ controllers: [PlansController], providers: [PurchasablePlans], exports: [PurchasablePlans] })
export class PlansModule {}
