import type { MigrationInterface, QueryRunner } from 'typeorm';
import { rollupsWithGaps } from './20261126110000-count-payers-by-gap';

/**
 * What a wallet paid on a day is summed in its row of all endpoints: nobody asks for it by endpoint, and rows of one endpoint
 * need no write for a payment in an hour that they know. Their sums of before stay, as workers of the release before this one
 * go on with them; the audit compares them no longer.
 */
export class SumDaysOfWalletsOnce1795798800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS
      SELECT rollup, key, ${compared('kept')} AS kept, ${compared('counted')} AS counted FROM (${rollupsWithGaps}) AS earlier`);
    for (const column of SUMS)
      await runner.query(`COMMENT ON COLUMN daily_payers.${column} IS 'Kept in the row of all endpoints alone'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE daily_payers t SET paid_calls = c.paid_calls, gross_micros = c.gross_micros
      FROM audit.counted_daily_payers c WHERE (t.endpoint, t.wallet, t.day) = (c.endpoint, c.wallet, c.day) AND t.endpoint <> ''`);
    for (const column of SUMS) await runner.query(`COMMENT ON COLUMN daily_payers.${column} IS NULL`);
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollupsWithGaps}`);
  }
}

const SUMS = ['paid_calls', 'gross_micros'];

/** The second part of the key of `daily_payers` is the endpoint. */
function compared(figures: string): string {
  return `CASE WHEN rollup = 'daily_payers' AND key ->> 1 <> '' THEN ${figures} - '{${SUMS.join(',')}}'::text[] ELSE ${figures} END`;
}
