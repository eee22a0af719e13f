import { Module } from '@nestjs/common';
import { RecordMoney } from './record-money';

/** Payments, and money that went back. */
@Module({ providers: [RecordMoney], exports: [RecordMoney] })
export class InvoicesModule {}
