import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import type { RebatesView } from './customers.view';

interface Row {
  issued: string;
  redeemed: string;
  outstanding: string;
  issued_face_micros: string;
  redeemed_price_micros: string;
  change_micros: string;
  outstanding_face_micros: string;
}

/** Credits of all wallets: issued less redeemed is outstanding, in number and in money (D-121). */
export async function readRebates(tx: EntityManager): Promise<RebatesView> {
  const [row] = await tx.query<Row[]>(
    `SELECT issued, redeemed, outstanding, issued_face_micros, redeemed_price_micros, change_micros,
       outstanding_face_micros FROM credit_totals`,
  );
  return {
    rebate_issued: usdAmount(readMicros(row!.issued_face_micros)),
    rebate_redeemed: usdAmount(readMicros(row!.redeemed_price_micros)),
    returned_change: usdAmount(readMicros(row!.change_micros)),
    credits_issued: readMicros(row!.issued),
    credits_redeemed: readMicros(row!.redeemed),
    credits_outstanding: readMicros(row!.outstanding),
    outstanding_face_value: usdAmount(readMicros(row!.outstanding_face_micros)),
  };
}
