/**
 * The views of auditors, in names that stay the same when tables change. The WITH in each makes it read-only:
 * PostgreSQL lets nobody write through such a view.
 */
export const CREATE_AUDIT_VIEWS = `
  CREATE SCHEMA audit;
  CREATE VIEW audit.payments AS
    WITH ledger AS (SELECT * FROM payments)
    SELECT p.id, p.nonce, p.payer, p.endpoint, p.price_micros AS amount_atomic, p.state, p.served,
      p.transaction_hash AS tx_hash, p.created_at, p.settled_at, p.chain_id, p.asset,
      EXISTS (SELECT FROM payment_checks c WHERE c.payment_id = p.id) AS watched
    FROM ledger p;
  CREATE VIEW audit.calls AS
    WITH ledger AS (SELECT * FROM calls) SELECT id, payment_id, credit_id, endpoint, served_at FROM ledger;
  CREATE VIEW audit.credits AS
    WITH ledger AS (SELECT * FROM credits)
    SELECT id, payer, face_micros AS face_atomic, change_micros AS change_atomic, earned_by, issued_at, redeemed_at, call_id
    FROM ledger;
  CREATE VIEW audit.wallets AS
    WITH ledger AS (SELECT * FROM wallets)
    SELECT address, settled_micros AS settled_atomic, earned_micros AS earned_atomic, accrued_micros AS accrued_atomic,
      calls, unpaid_calls
    FROM ledger;
  CREATE VIEW audit.outbox AS
    WITH events AS (SELECT * FROM outbox)
    SELECT id, aggregate, aggregate_seq, type, created_at, published_at, attempts, seq, subject,
      coalesce(payload->>'amountMicros', payload->>'faceMicros', payload->>'changeMicros')::bigint AS amount_atomic,
      (payload->>'rebateMicros')::bigint AS rebate_atomic
    FROM events`;
