import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { CreditAnswers } from './credit-answers';
import { CreditOffers } from './credit-offers';
import { CreditTokens } from './credit-tokens';
import { EarnedCredits } from './earned-credits';

@Module({
  imports: [LedgerModule],
  providers: [CreditAnswers, CreditOffers, CreditTokens, EarnedCredits],
  exports: [CreditAnswers, CreditOffers, EarnedCredits],
})
export class CreditsModule {}
