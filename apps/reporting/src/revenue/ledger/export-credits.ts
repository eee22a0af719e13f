import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import type { CsvFile } from '../csv-exports';
import { checksummed } from '../payments/checksummed';

const TITLES = [
  ...['kind', 'at', 'credit_id', 'wallet', 'face_value_usd', 'price_usd', 'change_usd', 'attributed_cost'],
  ...['endpoint', 'payment_id', 'tier', 'expires_at', 'request_id'],
];

const WITHIN = (instant: string): string =>
  `${instant} >= $1::timestamptz AND ${instant} < $2::timestamptz + interval '24 hours'`;

const STATEMENT = `
  SELECT * FROM (
    SELECT 'issued' AS kind, issued_at AS at, id, wallet, face_micros, NULL::bigint AS price_micros,
      NULL::bigint AS change_micros, NULL::bigint AS attributed_cost_micros, NULL AS endpoint, payment_id, tier,
      expires_at, NULL AS request_id
    FROM credits WHERE ${WITHIN('issued_at')}
    UNION ALL
    SELECT 'redeemed', redeemed_at, id, wallet, price_micros + change_micros, price_micros, change_micros,
      attributed_cost_micros, endpoint, NULL, NULL, NULL, request_id
    FROM credits WHERE ${WITHIN('redeemed_at')}
    UNION ALL
    SELECT 'expired', expires_at, id, wallet, face_micros, NULL, NULL, NULL, NULL, NULL, NULL, expires_at, NULL
    FROM credits WHERE redeemed_at IS NULL AND issued_at IS NOT NULL AND ${WITHIN('expires_at')} AND expires_at <= $3
  ) lines
  ORDER BY at DESC, kind, id`;

interface CreditLine {
  kind: 'issued' | 'redeemed' | 'expired';
  at: Date;
  id: string;
  wallet: string;
  face_micros: string;
  price_micros: string | null;
  change_micros: string | null;
  attributed_cost_micros: string | null;
  endpoint: string | null;
  payment_id: string | null;
  tier: string | null;
  expires_at: Date | null;
  request_id: string | null;
}

/**
 * Every credit that was issued, redeemed or expired in a window, each on its own day, newest first. With the file of payments
 * it makes revenue, margin and what is owed.
 */
export const CREDITS_FILE: CsvFile<CreditLine> = {
  name: 'credits',
  projection: LEDGER_PROJECTION,
  statement: STATEMENT,
  values: (now) => [now],
  titles: TITLES,
  recordOf,
};

function recordOf(line: CreditLine): (string | null)[] {
  return [
    ...[line.kind, line.at.toISOString(), line.id, checksummed(line.wallet), exact(line.face_micros)],
    ...[exact(line.price_micros), exact(line.change_micros), exact(line.attributed_cost_micros)],
    ...[line.endpoint, line.payment_id, line.tier, line.expires_at?.toISOString() ?? null, line.request_id],
  ];
}

function exact(micros: string | null): string | null {
  return micros === null ? null : usdAmount(readMicros(micros)).usd_exact;
}
