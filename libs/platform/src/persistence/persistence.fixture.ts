import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';

@Entity({ name: 'coins' })
export class Coin {
  @PrimaryColumn('integer') id!: number;
  @Column('bigint', { name: 'value_micros', nullable: true }) valueMicros!: string | null;
}

export class CreateCoins1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE coins (id integer PRIMARY KEY, value_micros bigint)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE coins');
  }
}

export const mint = { name: 'mint', entities: [Coin], migrations: [CreateCoins1736847000000] };
