import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Money: what was paid, and what went back. */
export class CreateInvoices1795435320000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invoices (
        invoice_id text PRIMARY KEY,
        customer_id text,
        user_id uuid,
        subscription_id text,
        plan_code text,
        currency text NOT NULL,
        amount_cents bigint NOT NULL,
        tax_cents bigint NOT NULL,
        reason text NOT NULL,
        period_start timestamptz,
        period_end timestamptz,
        paid_at timestamptz NOT NULL,
        published boolean NOT NULL
      )`);
    await runner.query(`CREATE INDEX invoices_by_payment ON invoices (paid_at)`);
    await runner.query(`CREATE INDEX invoices_unlinked ON invoices (customer_id) WHERE user_id IS NULL`);

    // Whose a charge is: refunds and disputes name nothing else.
    await runner.query(`
      CREATE TABLE charges (
        charge_id text PRIMARY KEY,
        customer_id text NOT NULL,
        invoice_id text
      )`);
    await runner.query(`
      CREATE TABLE adjustments (
        adjustment_id text NOT NULL,
        kind text NOT NULL,
        charge_id text,
        customer_id text,
        user_id uuid,
        invoice_id text,
        currency text NOT NULL,
        amount_cents bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        published boolean NOT NULL,
        PRIMARY KEY (adjustment_id, kind)
      )`);
    await runner.query(`CREATE INDEX adjustments_unlinked ON adjustments (customer_id) WHERE user_id IS NULL`);
    await runner.query(`CREATE INDEX adjustments_of_charge ON adjustments (charge_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE adjustments, charges, invoices');
  }
}
