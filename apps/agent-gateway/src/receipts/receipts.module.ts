import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { AnswerReceipts, ReceiptSigner } from './answer-receipts';

@Module({ imports: [LedgerModule], providers: [AnswerReceipts, ReceiptSigner], exports: [AnswerReceipts] })
export class ReceiptsModule {}
