import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENTITIES } from '../database';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AbandonedPayments } from './abandoned-payments';
import { AnswerCipher } from './answer-cipher';
import { ClaimPayments } from './claim-payments';
import { StoredRequirements } from './stored-requirements';
import { FindCredits } from './find-credits';
import { FindPayments } from './find-payments';
import { StoreReceipts } from './store-receipts';
import { closeLedgerPool } from './ledger-pool';
import { PaymentChecks } from './payment-checks';
import { RecordUncertain } from './record-uncertain';
import { RecordFailure } from './record-failure';
import { RecordSettlements } from './record-settlements';
import { RedeemCredit } from './redeem-credit';
import { TakeOver } from './take-over';
import { WalletTiers } from './wallet-tiers';

const rows = TypeOrmModule.forFeature(ENTITIES);
const statements = [
  AbandonedPayments,
  ClaimPayments,
  StoredRequirements,
  FindCredits,
  FindPayments,
  StoreReceipts,
  PaymentChecks,
  RecordUncertain,
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
export class LedgerModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  /** After all who still had something to write. */
  async onApplicationShutdown(): Promise<void> {
    await closeLedgerPool(this.dataSource);
  }
}
