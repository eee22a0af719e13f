import { Module } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { LedgerModule } from '../ledger/ledger.module';
import { AnswerReceipts, ReceiptSigner } from './answer-receipts';
import { ReceiptKeysController } from './receipt-keys.controller';

const signer = {
  provide: ReceiptSigner,
  inject: [AgentGatewayConfig],
  useFactory: ({ receiptKeys }: AgentGatewayConfig) => new ReceiptSigner(receiptKeys),
};

@Module({ imports: [LedgerModule], providers: [AnswerReceipts, signer], exports: [AnswerReceipts] })
export class ReceiptsModule {}

/** The public keys over HTTP: the worker, which answers no requests, does without them. */
@Module({ controllers: [ReceiptKeysController] })
export class ReceiptKeysModule {}
