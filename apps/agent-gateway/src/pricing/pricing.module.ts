import { Module } from '@nestjs/common';
import { PricingController } from './pricing.controller';
import { WalletStatus } from './wallet-status';

@Module({ controllers: [PricingController], providers: [WalletStatus], exports: [WalletStatus] })
export class PricingModule {}
