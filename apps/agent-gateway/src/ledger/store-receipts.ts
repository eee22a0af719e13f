import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface StoredReceipts {
  receipt: string;
  /** Of the answer without the token of its credit; null for one without a credit. */
  deliveredReceipt: string | null;
}

const KEEP = `
  UPDATE payment_answers SET receipt = coalesce(receipt, $2), delivered_receipt = coalesce(delivered_receipt, $3)
  WHERE payment_id = $1 RETURNING receipt, delivered_receipt AS "deliveredReceipt"`;

/** Receipts of answers that were recorded without one. */
@Injectable()
export class StoreReceipts {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns those that count: the first that anybody kept */
  async orExisting(paymentId: string, { receipt, deliveredReceipt }: StoredReceipts): Promise<StoredReceipts> {
    const values = [paymentId, receipt, deliveredReceipt];
    const { rows } = await poolOf(this.dataSource).query<StoredReceipts>(KEEP, values);
    // Erased meanwhile: nobody will ask for it again.
    return rows[0] ?? { receipt, deliveredReceipt };
  }
}
