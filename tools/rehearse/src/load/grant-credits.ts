import { createHash, randomBytes } from 'node:crypto';
import { CHAINS, CREDIT_FACE_MICROS, CreditIssued, PAID_ENDPOINTS, PaymentSettled } from '@evenkeel/contracts';
import { Client } from 'pg';

const AT_ONCE = 5_000;
const WALLETS = 200;
const chain = CHAINS[0]!;
const endpoint = PAID_ENDPOINTS.find(({ priceMicros }) => priceMicros === CREDIT_FACE_MICROS)!;

/**
 * Credits as if they had been earned: each by a settled and answered payment whose whole price came back as rebate, with the
 * events of both. The books of the ledger stay right; the chain knows nothing of these payments.
 */
const GRANT = `
  WITH granted AS MATERIALIZED (
    SELECT hash, wallets.address AS payer, (number - 1) / cardinality($2::text[]) * 2 AS seq,
      uuidv7() AS payment, uuidv7() AS credit, uuidv7() AS call, 'load-' || hash AS request, now() AS at,
      '0x' || hash AS nonce, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS instant
    FROM unnest($1::text[]) WITH ORDINALITY AS tokens (hash, number)
    JOIN unnest($2::text[]) WITH ORDINALITY AS wallets (address, place)
      ON wallets.place = (tokens.number - 1) % cardinality($2::text[]) + 1
  ),
  paid AS (
    INSERT INTO payments (id, chain_id, asset, payer, nonce, endpoint, price_micros, fingerprint, payload_digest,
      "authorization", signature, wording_id, v2_grade, state, served, transaction_hash, request_id, cost_micros,
      verified_at, created_at, settled_at, valid_before)
    SELECT payment, $3, $4, payer, nonce, $5, $6, hash, hash, '{}', '0x', 0, true, 'settled', true, nonce, request, 0,
      at, at, at, at + interval '5 minutes'
    FROM granted
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at) SELECT call, payment, $5, request, at FROM granted
  ),
  issued AS (
    INSERT INTO credits (id, token_hash, payer, earned_by, face_micros, tier, accrued_after_micros, issued_at)
    SELECT credit, hash, payer, payment, $6, 'base', 0, at FROM granted
  ),
  wallets AS (
    INSERT INTO wallets (address, settled_micros, earned_micros, calls, event_seq, first_payment_at, last_payment_at)
    SELECT payer, count(*) * $6, count(*) * $6, count(*), count(*) * 2, min(at), max(at) FROM granted GROUP BY payer
  )
  INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
  SELECT uuidv7(), $7, payer, seq + 1, $8, payment::text, at,
    jsonb_build_object('paymentId', payment, 'wallet', payer, 'endpoint', $5::text, 'amountMicros', $6::bigint,
      'chainId', $3::integer, 'asset', $4::text, 'transactionHash', nonce, 'verifiedAt', instant, 'settledAt', instant,
      'tier', 'base', 'rebateMicros', $6::bigint, 'attributedCostMicros', 0, 'requestId', request)
  FROM granted
  UNION ALL
  SELECT uuidv7(), $7, payer, seq + 2, $9, credit::text, at,
    jsonb_build_object('creditId', credit, 'wallet', payer, 'faceMicros', $6::bigint, 'paymentId', payment, 'tier', 'base',
      'issuedAt', instant)
  FROM granted ORDER BY 4`;

/**
 * Writes credits into the ledger of a trial.
 * @param databaseUrl of the agent gateway
 * @returns their tokens, which any wallet may spend
 */
export async function grantCredits(databaseUrl: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => `hrc_${randomBytes(32).toString('base64url')}`);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let from = 0; from < count; from += AT_ONCE) {
      const some = tokens.slice(from, from + AT_ONCE);
      await client.query(GRANT, [
        some.map((token) => createHash('sha256').update(token).digest('hex')),
        Array.from({ length: WALLETS }, () => `0x${randomBytes(20).toString('hex')}`),
        chain.chainId,
        chain.usdc.address.toLowerCase(),
        endpoint.path,
        CREDIT_FACE_MICROS,
        PaymentSettled.stream,
        PaymentSettled.type,
        CreditIssued.type,
      ]);
    }
    return tokens;
  } finally {
    await client.end();
  }
}
