import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { CreditAnswers } from './credit-answers';
import { CreditOffers } from './credit-offers';
import { CreditTokens } from './credit-tokens';
import { EarnedCredits } from './earned-credits';
import { PayByCredit } from './pay-by-credit';

@Module({
  imports: [LedgerModule],
  providers: [CreditAnswers, CreditOffers, CreditTokens, EarnedCredits, PayByCredit],
  exports: [CreditAnswers, CreditOffers, EarnedCredits, PayByCredit],
})
export class CreditsModule {}
