import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { type CsvFile, IS_IN_DAYS } from '../csv-exports';
import { COLUMNS } from '../figures/basis';
import { DETAIL_COLUMNS } from './payment-rows';
import type { PaymentsFileQuery } from './payments-query';

/** All payments of a window, newest first; by settlement those that settled or failed in it. */
export function paymentsFile({ basis, status, wallet }: PaymentsFileQuery): CsvFile {
  const { at } = COLUMNS[basis];
  return {
    name: basis === 'call' ? 'payments' : 'payments-settled',
    projection: LEDGER_PROJECTION,
    statement: `
      SELECT ${DETAIL_COLUMNS}, amount_micros AS amount_usd, rebate_micros AS rebate_accrued_usd,
        (SELECT c.id FROM credits c WHERE c.payment_id = p.id LIMIT 1) AS credit_id
      FROM payments p
      WHERE ${IS_IN_DAYS(at)} AND ($3::text IS NULL OR status = $3) AND ($4::text IS NULL OR wallet = $4)
      ORDER BY ${at} DESC, id DESC`,
    values: () => [status ?? null, wallet ?? null],
    columns: {
      id: 'text',
      verified_at: 'text',
      endpoint: 'text',
      amount_usd: 'amount',
      amount_atomic: 'text',
      payer: 'address',
      network: 'text',
      asset: 'address',
      transaction_hash: 'text',
      status: 'text',
      settled_at: 'text',
      rebate_accrued_usd: 'amount',
      request_id: 'text',
      nonce: 'text',
      attributed_cost: 'amount',
      tier: 'text',
      served: 'text',
      reason: 'text',
      failed_at: 'text',
      credit_id: 'text',
    },
  };
}
