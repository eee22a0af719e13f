import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCoins1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE coins (id integer PRIMARY KEY, value_micros bigint)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE coins');
  }
}

export const mint = { name: 'mint', entities: [], migrations: [CreateCoins1736847000000] };
