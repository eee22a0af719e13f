import { Module } from '@nestjs/common';
import { RecordMoney } from './record-money';

/** What was paid, and what went back. */
@Module({ providers: [RecordMoney], exports: [RecordMoney] })
export class InvoicesModule {}
