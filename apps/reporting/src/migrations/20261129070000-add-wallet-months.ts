import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ROLLUPS } from './create-audit-views';

const FIGURES = ['paid_calls', 'gross_micros', 'settled_calls', 'settled_gross_micros'];
const SUMS = FIGURES.map((name) => `sum(${name})::bigint AS ${name}`).join(', ');
const MONTH = `date_trunc('month', day::timestamp)::date`;

/** The triggers that keep the months: what was is taken off, what is is added. */
const CHANGES = [
  { name: 'inserted', on: 'INSERT', rows: 'NEW', sign: 1 },
  { name: 'taken', on: 'UPDATE', rows: 'OLD', sign: -1 },
  { name: 'updated', on: 'UPDATE', rows: 'NEW', sign: 1 },
  { name: 'deleted', on: 'DELETE', rows: 'OLD', sign: -1 },
];

/**
 * The days of wallets by month, for a year of many: at ten million payments a quarter of the rows. The database keeps them itself,
 * so that every writer of the days does, also a worker of the release before.
 */
export class AddWalletMonths1795935600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_months (
        month date NOT NULL,
        wallet text NOT NULL,
        ${FIGURES.map((name) => `${name} bigint NOT NULL`).join(', ')},
        PRIMARY KEY (month, wallet) INCLUDE (paid_calls, settled_calls)
      ) WITH (fillfactor = 80)`);
    await runner.query(`COMMENT ON TABLE wallet_months IS 'Sums of wallet_days, kept by its triggers'`);
    await runner.query(`
      CREATE FUNCTION add_to_wallet_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO wallet_months AS m (month, wallet, ${FIGURES.join(', ')})
        SELECT ${MONTH}, wallet, ${FIGURES.map((name) => `TG_ARGV[0]::integer * sum(${name})`).join(', ')}
        FROM changed GROUP BY 1, 2
        ON CONFLICT (month, wallet) DO UPDATE SET ${FIGURES.map((name) => `${name} = m.${name} + excluded.${name}`).join(', ')};
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE FUNCTION empty_wallet_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        TRUNCATE wallet_months;
        RETURN NULL;
      END $$`);
    // Writers wait from here on, so no row is missed.
    await runner.query('LOCK TABLE wallet_days IN SHARE ROW EXCLUSIVE MODE');
    await runner.query(
      `INSERT INTO wallet_months SELECT ${MONTH} AS month, wallet, ${SUMS} FROM wallet_days GROUP BY 1, 2`,
    );
    for (const { name, on, rows, sign } of CHANGES) {
      await runner.query(`
        CREATE TRIGGER wallet_days_${name} AFTER ${on} ON wallet_days REFERENCING ${rows} TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION add_to_wallet_months('${sign}')`);
    }
    await runner.query(`
      CREATE TRIGGER wallet_days_emptied AFTER TRUNCATE ON wallet_days
      FOR EACH STATEMENT EXECUTE FUNCTION empty_wallet_months()`);
    await runner.query(`
      CREATE VIEW audit.counted_wallet_months AS
      SELECT ${MONTH} AS month, wallet, ${SUMS} FROM audit.counted_wallet_days GROUP BY 1, 2`);
    await runner.query(`
      CREATE OR REPLACE VIEW audit.rollups AS ${ROLLUPS}
      UNION ALL
      SELECT 'wallet_months', jsonb_build_array(month, wallet), to_jsonb(kept), to_jsonb(counted)
      FROM wallet_months kept FULL JOIN audit.counted_wallet_months counted USING (month, wallet)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${ROLLUPS}`);
    await runner.query('DROP VIEW audit.counted_wallet_months');
    for (const { name } of [...CHANGES, { name: 'emptied' }]) {
      await runner.query(`DROP TRIGGER wallet_days_${name} ON wallet_days`);
    }
    await runner.query('DROP FUNCTION add_to_wallet_months(), empty_wallet_months()');
    await runner.query('DROP TABLE wallet_months');
  }
}
