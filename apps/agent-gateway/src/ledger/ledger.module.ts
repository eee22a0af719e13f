import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { AbandonedPayments } from './abandoned-payments';
import { AnswerCipher } from './answer-cipher';
import { ClaimPayments } from './claim-payments';
import { CreditAnswerRow } from './credit-answer.entity';
import { CreditRow } from './credit.entity';
import { FacilitatorWordingRow } from './facilitator-wording.entity';
import { FacilitatorWordings } from './facilitator-wordings';
import { FindCredits } from './find-credits';
import { FindPayments } from './find-payments';
import { PaymentAnswerRow } from './payment-answer.entity';
import { PaymentCheckRow } from './payment-check.entity';
import { PaymentChecks } from './payment-checks';
import { PaymentRow } from './payment.entity';
import { RecordDoubt } from './record-doubt';
import { RecordFailure } from './record-failure';
import { RecordSettlements } from './record-settlements';
import { RedeemCredit } from './redeem-credit';
import { TakeOver } from './take-over';
import { WalletTiers } from './wallet-tiers';

const rows = TypeOrmModule.forFeature([
  PaymentRow,
  PaymentAnswerRow,
  PaymentCheckRow,
  FacilitatorWordingRow,
  CreditRow,
  CreditAnswerRow,
]);
const statements = [
  AbandonedPayments,
  ClaimPayments,
  FacilitatorWordings,
  FindCredits,
  FindPayments,
  PaymentChecks,
  RecordDoubt,
  RecordFailure,
  RecordSettlements,
  RedeemCredit,
  TakeOver,
  WalletTiers,
];
const cipher = {
  provide: AnswerCipher,
  inject: [AgentGatewayConfig],
  useFactory: ({ answerKeys }: AgentGatewayConfig) => new AnswerCipher(answerKeys),
};

@Module({ imports: [rows], providers: [...statements, cipher], exports: [...statements, AnswerCipher, rows] })
export class LedgerModule {}
