import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { type CsvFile, IS_IN_DAYS } from '../csv-exports';

const STATEMENT = `
  SELECT * FROM (
    SELECT 'issued' AS kind, issued_at AS at, id AS credit_id, wallet, face_micros AS face_value_usd,
      NULL::bigint AS price_usd, NULL::bigint AS change_usd, NULL::bigint AS attributed_cost, NULL AS endpoint,
      payment_id, tier, expires_at, NULL AS request_id
    FROM credits WHERE ${IS_IN_DAYS('issued_at')}
    UNION ALL
    SELECT 'redeemed', redeemed_at, id, wallet, price_micros + change_micros, price_micros, change_micros,
      attributed_cost_micros, endpoint, NULL, NULL, NULL, request_id
    FROM credits WHERE ${IS_IN_DAYS('redeemed_at')}
    UNION ALL
    SELECT 'expired', expires_at, id, wallet, face_micros, NULL, NULL, NULL, NULL, NULL, NULL, expires_at, NULL
    FROM credits
    WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND ${IS_IN_DAYS('expires_at')} AND expires_at <= $3
  ) lines
  ORDER BY at DESC, kind, credit_id`;

/**
 * Every credit that was issued, redeemed or expired in a window, each on its own day, newest first. With the file of payments
 * it makes revenue, margin and what is owed.
 */
export const CREDITS_FILE: CsvFile = {
  name: 'credits',
  projection: LEDGER_PROJECTION,
  statement: STATEMENT,
  values: (now) => [now],
  columns: {
    kind: 'text',
    at: 'text',
    credit_id: 'text',
    wallet: 'address',
    face_value_usd: 'amount',
    price_usd: 'amount',
    change_usd: 'amount',
    attributed_cost: 'amount',
    endpoint: 'text',
    payment_id: 'text',
    tier: 'text',
    expires_at: 'text',
    request_id: 'text',
  },
};
