import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { CreditAnswers, PayByCredit } from './pay-by-credit';
import { CreditOffers } from './credit-offers';

@Module({
  imports: [LedgerModule],
  providers: [CreditAnswers, CreditOffers],
  exports: [CreditAnswers, CreditOffers],
})
export class CreditsModule {}

/** Providers of requests alone: the worker has no limits. */
@Module({
  imports: [CreditsModule, LedgerModule, ReceiptsModule],
  providers: [PayByCredit],
  exports: [PayByCredit],
})
export class PayByCreditModule {}
