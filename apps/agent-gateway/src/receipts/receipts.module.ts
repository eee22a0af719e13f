import { Module } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { LedgerModule } from '../ledger/ledger.module';
import { AnswerReceipts, ReceiptSigner } from './answer-receipts';

const signer = {
  provide: ReceiptSigner,
  inject: [AgentGatewayConfig],
  useFactory: ({ receiptKeys }: AgentGatewayConfig) => new ReceiptSigner(receiptKeys),
};

@Module({ imports: [LedgerModule], providers: [AnswerReceipts, signer], exports: [AnswerReceipts] })
export class ReceiptsModule {}
