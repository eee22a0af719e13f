-- Every event of evenkeel.payments.v1 as it came. Kafka may bring one twice: of equal (wallet, id) one is kept, and FINAL reads one.
CREATE TABLE payment_events
(
    id     UUID,
    type   LowCardinality(String),
    wallet String,
    at     DateTime64(3, 'UTC'),
    data   String
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (wallet, id);

-- Revenue is what is settled. Money is in millionths of a dollar.
CREATE VIEW settled_payments AS
SELECT
    JSONExtractString(data, 'paymentId')                             AS payment_id,
    wallet,
    JSONExtractString(data, 'endpoint')                              AS endpoint,
    JSONExtractInt(data, 'amountMicros')                             AS amount_micros,
    JSONExtractInt(data, 'attributedCostMicros')                     AS cost_micros,
    parseDateTime64BestEffort(JSONExtractString(data, 'settledAt'), 3, 'UTC') AS settled_at
FROM payment_events FINAL
WHERE type = 'payment.settled';

CREATE VIEW revenue_of_days AS
SELECT toDate(settled_at) AS day, endpoint, count() AS payments, uniqExact(wallet) AS payers, sum(amount_micros) AS revenue_micros
FROM settled_payments
GROUP BY day, endpoint;

CREATE VIEW revenue_of_wallets AS
SELECT wallet, count() AS payments, sum(amount_micros) AS revenue_micros, max(settled_at) AS last_payment_at
FROM settled_payments
GROUP BY wallet;
