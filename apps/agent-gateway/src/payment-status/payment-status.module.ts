import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentStatusController } from './payment-status.controller';

@Module({ imports: [LedgerModule], controllers: [PaymentStatusController] })
export class PaymentStatusModule {}
