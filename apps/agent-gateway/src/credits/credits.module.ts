import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { CreditAnswers } from './credit-answers';
import { CreditOffers, CreditTokens, EarnedCredits } from './credit-offers';
import { PayByCredit } from './pay-by-credit';
import { RedeemCredit } from './redeem-credit';

@Module({
  imports: [LedgerModule],
  providers: [CreditAnswers, CreditOffers, CreditTokens, EarnedCredits],
  exports: [CreditAnswers, CreditOffers, EarnedCredits],
})
export class CreditsModule {}

/** What only requests need: the worker, which has no limits, does without it. */
@Module({
  imports: [CreditsModule, LedgerModule, ReceiptsModule],
  providers: [PayByCredit, RedeemCredit],
  exports: [PayByCredit],
})
export class PayByCreditModule {}
