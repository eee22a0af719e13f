import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments of the reconciliation are counted with their amounts in the index: their rows lie apart, each in a page of its own. */
export class CountGroupsInIndexes1795690860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createAgain(runner, 'INCLUDE (amount_micros)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.createAgain(runner, '');
  }

  private async createAgain(runner: QueryRunner, included: string): Promise<void> {
    for (const [name, { columns, condition }] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX ${name}`);
      await runner.query(`CREATE INDEX ${name} ON payments (${columns}) ${included} WHERE ${condition}`);
    }
  }
}

const INDEXES: Readonly<Record<string, { columns: string; condition: string }>> = {
  payments_not_settled: { columns: 'status, verified_at, id', condition: `status <> 'settled'` },
  payments_served_and_failed: { columns: 'verified_at, id', condition: `status = 'settlement_failed' AND served` },
  payments_without_hash: { columns: 'verified_at, id', condition: `status = 'settled' AND transaction_hash IS NULL` },
};
