import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { ENTITIES } from '../database';
import { AbandonedPayments, TakeOver } from './abandoned-payments';
import { AnswerCipher, StoreReceipts } from './answers';
import { ClaimPayments } from './claim-payments';
import { FindPayments } from './find-payments';
import { closeLedgerPool } from './ledger-pool';
import { PaymentChecks } from './payment-checks';
import { RecordFailure, RecordUncertain } from './unsettled-outcomes';
import { RecordSettlements } from './record-settlements';
import { RedeemableCredits } from './redeemable-credits';
import { StoredRequirements } from './stored-requirements';
import { WalletTiers } from './wallet-tiers';

const rows = TypeOrmModule.forFeature(ENTITIES);
const statements = [
  AbandonedPayments,
  ClaimPayments,
  FindPayments,
  PaymentChecks,
  RecordFailure,
  RecordSettlements,
  RecordUncertain,
  RedeemableCredits,
  StoredRequirements,
  StoreReceipts,
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

  /** After every provider that still had something to write. */
  async onApplicationShutdown(): Promise<void> {
    await closeLedgerPool(this.dataSource);
  }
}
