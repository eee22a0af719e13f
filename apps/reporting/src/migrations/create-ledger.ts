import type { QueryRunner } from 'typeorm';

/** Payments and credits from the events of the gateway, and sums of them. Days are in UTC. */
export async function createLedger(runner: QueryRunner): Promise<void> {
  await createPayments(runner);
  await createPaymentIndexes(runner);
  await createCredits(runner);
  await createSums(runner);
  await createWalletMonths(runner);
}

async function createPayments(runner: QueryRunner): Promise<void> {
  // A final status never becomes an open one, whatever comes late; settled wins over failed.
  await runner.query(`
    CREATE FUNCTION payment_status_rank(status text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT array_position(ARRAY['settlement_pending', 'needs_reconciliation', 'settlement_failed', 'settled'], status) $$`);
  await runner.query(`
    CREATE TABLE payments (
      id uuid NOT NULL,
      nonce text,
      wallet text NOT NULL,
      endpoint text NOT NULL,
      amount_micros bigint NOT NULL CHECK (amount_micros >= 0),
      chain_id bigint NOT NULL,
      asset text NOT NULL,
      transaction_hash text,
      status text NOT NULL CHECK (payment_status_rank(status) IS NOT NULL),
      verified_at timestamptz NOT NULL,
      settled_at timestamptz,
      failed_at timestamptz,
      served boolean NOT NULL,
      reason text,
      tier text,
      rebate_micros bigint NOT NULL DEFAULT 0 CHECK (rebate_micros >= 0),
      attributed_cost_micros bigint NOT NULL CHECK (attributed_cost_micros >= 0),
      request_id text NOT NULL,
      PRIMARY KEY (id, verified_at)
    ) PARTITION BY RANGE (verified_at)`);
  // No default partition: a missing month is an error and does not collect rows unnoticed.
  await runner.query(`
    CREATE FUNCTION add_payments_month(month timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      first timestamp := date_trunc('month', month AT TIME ZONE 'UTC');
      name text := 'payments_' || to_char(first, 'YYYY_MM');
    BEGIN
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock(hashtext('add_payments_month'));
      IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
      -- Made apart and attached: readers of the other months do not wait.
      EXECUTE format('CREATE TABLE %I (LIKE payments INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
      EXECUTE format('ALTER TABLE payments ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        name, first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
    END $$`);
  // Those that were announced, but for settled: that is in payments.
  await runner.query(`
    CREATE TABLE payment_states (
      payment_id uuid NOT NULL,
      state text NOT NULL,
      at timestamptz NOT NULL,
      transaction_hash text,
      reason text,
      PRIMARY KEY (payment_id, state, at)
    )`);
}

/** Read backwards: the newest first. Groups that a person looks at are counted with their amounts in the index. */
async function createPaymentIndexes(runner: QueryRunner): Promise<void> {
  const day = (instant: string): string => `((${instant}) AT TIME ZONE 'UTC')::date`;
  const indexes = {
    newest: `(verified_at, id)`,
    ended: `((coalesce(settled_at, failed_at)), id)`,
    endpoint: `(endpoint, verified_at, id)`,
    not_settled: `(status, verified_at, id) INCLUDE (amount_micros) WHERE status <> 'settled'`,
    served_and_failed: `(verified_at, id) INCLUDE (amount_micros) WHERE status = 'settlement_failed' AND served`,
    without_hash: `(verified_at, id) INCLUDE (amount_micros) WHERE status = 'settled' AND transaction_hash IS NULL`,
    // Payments that ended on a later day than their call.
    late: `(verified_at) WHERE ${day('coalesce(settled_at, failed_at)')} > ${day('verified_at')}`,
    // Operators look for the beginning of a text, in any locale of the database.
    wallet: `(wallet text_pattern_ops, verified_at, id)`,
    nonce: `(nonce text_pattern_ops)`,
    transaction_hash: `(transaction_hash text_pattern_ops)`,
    request_id: `(request_id text_pattern_ops)`,
  };
  for (const [name, index] of Object.entries(indexes)) {
    await runner.query(`CREATE INDEX payments_${name} ON payments ${index}`);
  }
}

/** One row for issue and redemption, whichever event comes first. */
async function createCredits(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE credits (
      id uuid PRIMARY KEY,
      wallet text NOT NULL,
      face_micros bigint CHECK (face_micros >= 0),
      payment_id uuid,
      tier text,
      issued_at timestamptz,
      expires_at timestamptz,
      endpoint text,
      price_micros bigint CHECK (price_micros >= 0),
      change_micros bigint CHECK (change_micros >= 0),
      attributed_cost_micros bigint CHECK (attributed_cost_micros >= 0),
      redeemed_at timestamptz,
      request_id text,
      CHECK (num_nulls(face_micros, payment_id, tier, issued_at) IN (0, 4)),
      CHECK (num_nulls(endpoint, price_micros, change_micros, attributed_cost_micros, redeemed_at, request_id) IN (0, 6)),
      CHECK (issued_at IS NOT NULL OR redeemed_at IS NOT NULL)
    ) WITH (fillfactor = 90)`);
  await runner.query(`CREATE INDEX credits_newest ON credits (issued_at, id)`);
  await runner.query(`CREATE INDEX credits_redeemed ON credits (redeemed_at) WHERE redeemed_at IS NOT NULL`);
  await runner.query(`CREATE INDEX credits_expiring ON credits (expires_at) WHERE redeemed_at IS NULL`);
  await runner.query(`CREATE INDEX credits_payment ON credits (payment_id)`);
}

/**
 * Updated in the transaction that applies the events. Payments are on the day of their call, in the columns settled_ on the day
 * of their settlement; credits on both. Wallets have settled payments alone.
 */
async function createSums(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE daily_totals (
      day date NOT NULL,
      endpoint text NOT NULL,
      gross_micros bigint NOT NULL DEFAULT 0,
      cost_micros bigint NOT NULL DEFAULT 0,
      paid_calls bigint NOT NULL DEFAULT 0,
      credit_calls bigint NOT NULL DEFAULT 0,
      rebate_redeemed_micros bigint NOT NULL DEFAULT 0,
      last_call_at timestamptz,
      settled_gross_micros bigint NOT NULL DEFAULT 0,
      settled_cost_micros bigint NOT NULL DEFAULT 0,
      settled_calls bigint NOT NULL DEFAULT 0,
      settled_last_at timestamptz,
      PRIMARY KEY (day, endpoint)
    ) WITH (fillfactor = 60)`);
  await runner.query(`
    CREATE TABLE wallet_days (
      day date NOT NULL,
      wallet text NOT NULL,
      endpoint text NOT NULL,
      paid_calls integer NOT NULL,
      gross_micros bigint NOT NULL,
      settled_calls integer NOT NULL,
      settled_gross_micros bigint NOT NULL,
      PRIMARY KEY (day, wallet, endpoint) INCLUDE (paid_calls, settled_calls)
    ) WITH (fillfactor = 80)`);
  await runner.query(`
    CREATE TABLE wallet_totals (
      wallet text PRIMARY KEY,
      tier text,
      lifetime_micros bigint NOT NULL DEFAULT 0,
      paid_calls bigint NOT NULL DEFAULT 0,
      credit_calls bigint NOT NULL DEFAULT 0,
      first_payment_at timestamptz,
      last_payment_at timestamptz,
      rebate_earned_micros bigint NOT NULL DEFAULT 0,
      rebate_issued_micros bigint NOT NULL DEFAULT 0,
      change_micros bigint NOT NULL DEFAULT 0,
      credits_issued bigint NOT NULL DEFAULT 0,
      credits_redeemed bigint NOT NULL DEFAULT 0,
      rebate_accrued_micros bigint GENERATED ALWAYS AS
        (rebate_earned_micros + change_micros - rebate_issued_micros) VIRTUAL,
      credits_outstanding bigint GENERATED ALWAYS AS (credits_issued - credits_redeemed) VIRTUAL
    ) WITH (fillfactor = 80)`);
}

const FIGURES = ['paid_calls', 'gross_micros', 'settled_calls', 'settled_gross_micros'];

/**
 * The days of wallets by month, for a year of many: at ten million payments a quarter of the rows. The triggers keep them for
 * every writer of the days: what was is taken off, what is is added.
 */
async function createWalletMonths(runner: QueryRunner): Promise<void> {
  const sums = FIGURES.map((name) => `TG_ARGV[0]::integer * sum(${name})`).join(', ');
  const added = FIGURES.map((name) => `${name} = m.${name} + excluded.${name}`).join(', ');
  await runner.query(`
    CREATE TABLE wallet_months (
      month date NOT NULL,
      wallet text NOT NULL,
      ${FIGURES.map((name) => `${name} bigint NOT NULL`).join(', ')},
      PRIMARY KEY (month, wallet) INCLUDE (paid_calls, settled_calls)
    ) WITH (fillfactor = 80)`);
  await runner.query(`
    CREATE FUNCTION add_to_wallet_months() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO wallet_months AS m (month, wallet, ${FIGURES.join(', ')})
      SELECT date_trunc('month', day::timestamp)::date, wallet, ${sums} FROM changed GROUP BY 1, 2
      ON CONFLICT (month, wallet) DO UPDATE SET ${added};
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE FUNCTION empty_wallet_months() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      TRUNCATE wallet_months;
      RETURN NULL;
    END $$`);
  for (const [name, change, sign] of [
    ['inserted', 'INSERT ON wallet_days REFERENCING NEW', 1],
    ['taken', 'UPDATE ON wallet_days REFERENCING OLD', -1],
    ['updated', 'UPDATE ON wallet_days REFERENCING NEW', 1],
    ['deleted', 'DELETE ON wallet_days REFERENCING OLD', -1],
  ] as const) {
    await runner.query(`
      CREATE TRIGGER wallet_days_${name} AFTER ${change} TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION add_to_wallet_months('${sign}')`);
  }
  await runner.query(`
    CREATE TRIGGER wallet_days_emptied AFTER TRUNCATE ON wallet_days
    FOR EACH STATEMENT EXECUTE FUNCTION empty_wallet_months()`);
}
