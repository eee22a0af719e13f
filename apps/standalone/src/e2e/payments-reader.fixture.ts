import { CreditIssued, CreditRedeemed, PAYMENTS_STREAM, PaymentSettled } from '@evenkeel/contracts';
import { closeOnSignal } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { createInbox, dropInbox, openTransport, Subscription, type EventEnvelope } from '@evenkeel/platform/messaging';
import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';

export class CreateAppliedEvents1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createInbox(runner);
    // No key: what is applied twice must show.
    await runner.query(`
      CREATE TABLE applied_events (
        place bigint GENERATED ALWAYS AS IDENTITY, wallet text NOT NULL, sequence bigint NOT NULL, subject text NOT NULL
      )`);
    await runner.query('CREATE TABLE poisoned_wallets (wallet text PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE poisoned_wallets, applied_events');
    await dropInbox(runner);
  }
}

/** A wallet that is in the table of the poisoned ones cannot be written down. */
async function writeDown(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
  const wallets = events.map(({ key }) => key);
  const poisoned = await tx.query<object[]>('SELECT FROM poisoned_wallets WHERE wallet = ANY($1::text[])', [wallets]);
  if (poisoned.length > 0) throw new Error('this wallet cannot be written down');
  await tx.query(
    `INSERT INTO applied_events (wallet, sequence, subject)
     SELECT wallet, sequence, subject FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS e (wallet, sequence, subject, place)
     ORDER BY place`,
    [wallets, events.map(({ sequence }) => sequence), events.map(({ subject }) => subject)],
  );
}

/** A small service that reads the stream of payments; it dies at the step that `CRASH_AT` names. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const log = createLogger('payments-reader', { level: 'warn' });
  const dataSource = new DataSource(postgresOptions({ url: env['DATABASE_URL']!, entities: [], migrations: [] }));
  await dataSource.initialize();
  const transport = openTransport({ access: { brokers: env['KAFKA_BROKERS']!.split(',') }, clientId: 'reader', log });
  const events = [PaymentSettled, CreditIssued, CreditRedeemed];
  const subscription = new Subscription({
    name: env['CONSUMER']!,
    topics: [PAYMENTS_STREAM],
    consumers: [{ name: 'reader.write-down', events, handleAll: writeDown }],
    dataSource,
    transport,
    log,
    retryDelaysMs: [100, 200],
    passed: (point) => void (env['CRASH_AT'] === point && process.kill(process.pid, 'SIGKILL')),
  });
  subscription.start();
  const close = async (): Promise<void> => {
    await subscription.stop();
    await transport.close();
    await dataSource.destroy();
  };
  closeOnSignal({ close }, log);
  console.log(JSON.stringify({ ready: true }));
}

if (require.main === module) void main(process.env);
