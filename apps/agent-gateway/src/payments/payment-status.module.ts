import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { FindPaymentStatus } from './find-payment-status';
import { PaymentStatusController } from './payment-status.controller';

@Module({
  imports: [LedgerModule],
  controllers: [PaymentStatusController],
  providers: [FindPaymentStatus],
  exports: [FindPaymentStatus],
})
export class PaymentStatusModule {}
