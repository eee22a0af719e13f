import { createHash, randomBytes } from 'node:crypto';
import { CHAINS, CREDIT_FACE_MICROS, CreditIssued, PAID_ENDPOINTS, PaymentSettled } from '@evenkeel/contracts';
import { Client } from 'pg';

const AT_ONCE = 5_000;
const chain = CHAINS[0]!;
const endpoint = PAID_ENDPOINTS.find(({ priceMicros }) => priceMicros === CREDIT_FACE_MICROS)!;

/**
 * Credits as if they had been earned: each by a settled and answered payment of a wallet of its own, whose whole price came back as
 * rebate, with the events of both. The books of the ledger stay right; the chain knows nothing of these payments.
 */
const GRANT = `
  WITH granted AS MATERIALIZED (
    SELECT hash, '0x' || left(hash, 40) AS payer, uuidv7() AS payment, uuidv7() AS credit, uuidv7() AS call,
      'load-' || hash AS request, '0x' || hash AS nonce, now() AS at,
      to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS instant
    FROM unnest($1::text[]) AS hash
  ),
  paid AS (
    INSERT INTO payments (id, chain_id, asset, payer, nonce, endpoint, price_micros, fingerprint, payload_digest,
      "authorization", signature, wording_id, v2_grade, state, served, transaction_hash, request_id, cost_micros,
      verified_at, created_at, settled_at, valid_before)
    SELECT payment, $2, $3, payer, nonce, $4, $5, hash, hash, '{}', '0x', 0, true, 'settled', true, nonce, request, 0,
      at, at, at, at + interval '5 minutes'
    FROM granted
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at) SELECT call, payment, $4, request, at FROM granted
  ),
  issued AS (
    INSERT INTO credits (id, token_hash, payer, earned_by, face_micros, tier, accrued_after_micros, issued_at)
    SELECT credit, hash, payer, payment, $5, 'base', 0, at FROM granted
  ),
  wallets AS (
    INSERT INTO wallets (address, settled_micros, earned_micros, calls, event_seq, first_payment_at, last_payment_at)
    SELECT payer, $5, $5, 1, 2, at, at FROM granted
  )
  INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
  SELECT uuidv7(), $6, payer, 1, $7, payment::text, at,
    jsonb_build_object('paymentId', payment, 'wallet', payer, 'endpoint', $4::text, 'amountMicros', $5::bigint,
      'chainId', $2::integer, 'asset', $3::text, 'transactionHash', nonce, 'verifiedAt', instant, 'settledAt', instant,
      'tier', 'base', 'rebateMicros', $5::bigint, 'attributedCostMicros', 0, 'requestId', request)
  FROM granted
  UNION ALL
  SELECT uuidv7(), $6, payer, 2, $8, credit::text, at,
    jsonb_build_object('creditId', credit, 'wallet', payer, 'faceMicros', $5::bigint, 'paymentId', payment, 'tier', 'base',
      'issuedAt', instant)
  FROM granted ORDER BY 4`;

/**
 * Writes credits into the ledger of a trial.
 * @param databaseUrl of the agent gateway
 * @returns their tokens, which any wallet may spend
 */
export async function grantCredits(databaseUrl: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => `hrc_${randomBytes(32).toString('base64url')}`);
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest('hex'));
  const { chainId, usdc } = chain;
  const ofPayment = [chainId, usdc.address.toLowerCase(), endpoint.path, CREDIT_FACE_MICROS];
  const ofEvents = [PaymentSettled.stream, PaymentSettled.type, CreditIssued.type];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let from = 0; from < count; from += AT_ONCE)
      await client.query(GRANT, [hashes.slice(from, from + AT_ONCE), ...ofPayment, ...ofEvents]);
  } finally {
    await client.end();
  }
  return tokens;
}
