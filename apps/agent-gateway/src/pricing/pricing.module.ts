import { Module } from '@nestjs/common';
import { PricingController } from './pricing.controller';
import { WalletStanding } from './wallet-standing';

@Module({ controllers: [PricingController], providers: [WalletStanding], exports: [WalletStanding] })
export class PricingModule {}
