import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { CreateAppliedEvents1736847000000 } from './payments-reader.fixture';
import { Program } from './program.fixture';

/** The reader of payments as a process that can be killed, with a database of its own. */
export class PaymentsReader {
  private constructor(
    readonly database: TestDatabase,
    private readonly brokers: string,
    readonly name: string,
  ) {}

  static async open(brokers: string, name: string): Promise<PaymentsReader> {
    const migrations = [CreateAppliedEvents1736847000000];
    const database = await createTestDatabase({ name: 'payments-reader', entities: [], migrations });
    return new PaymentsReader(database, brokers, name);
  }

  async start(env: NodeJS.ProcessEnv = {}): Promise<Program> {
    const program = Program.start('apps/standalone/src/e2e/payments-reader.fixture.ts', {
      DATABASE_URL: this.database.url,
      KAFKA_BROKERS: this.brokers,
      CONSUMER: this.name,
      ...env,
    });
    await program.ready();
    return program;
  }

  /** Drops the database; its program has ended before. */
  close(): Promise<void> {
    return this.database.drop();
  }

  async count(): Promise<number> {
    const [{ count }] = await this.database.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM applied_events',
    );
    return count;
  }

  /** Numbers of a wallet in the order in which they were applied. */
  async sequencesOf(wallet: string): Promise<number[]> {
    const rows = await this.database.dataSource.query<{ sequence: number }[]>(
      'SELECT sequence::integer AS sequence FROM applied_events WHERE wallet = $1 ORDER BY place',
      [wallet],
    );
    return rows.map(({ sequence }) => sequence);
  }

  async poison(wallet: string): Promise<void> {
    await this.database.dataSource.query('INSERT INTO poisoned_wallets VALUES ($1)', [wallet]);
  }

  async cure(): Promise<void> {
    await this.database.dataSource.query('TRUNCATE poisoned_wallets');
  }

  /** Numbers of a wallet that wait for a replay. */
  async parkedOf(wallet: string): Promise<number[]> {
    const rows = await this.database.dataSource.query<{ sequence: number }[]>(
      'SELECT aggregate_seq::integer AS sequence FROM parked WHERE aggregate = $1 ORDER BY aggregate_seq',
      [wallet],
    );
    return rows.map(({ sequence }) => sequence);
  }
}
