import { PaymentSettled } from '@evenkeel/contracts';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { openTransport, Subscription, type ConsumerCrashPoint } from '@evenkeel/platform/messaging';
import { DataSource } from 'typeorm';
import { announce } from '../processes/listen-locally';
import { toStandardError } from './sample-events';

/** A consumer that only counts: inbox, order and offsets are all there. Asked for a number, it answers when it has it. */
async function main([databaseUrl = '', brokers = '', ...topics]: string[]): Promise<void> {
  const dataSource = new DataSource(postgresOptions({ url: databaseUrl, entities: [], migrations: [] }));
  await dataSource.initialize();
  const transport = openTransport({ access: { brokers: [brokers] }, clientId: 'reader', log: toStandardError });
  let applied = 0;
  let wanted = Infinity;
  const answer = (): void => {
    if (applied < wanted) return;
    wanted = Infinity;
    process.send!(applied);
  };
  const handleAll = async (events: readonly unknown[]): Promise<void> => void (applied += events.length);
  const consumers = [{ name: 'bench.count', events: [PaymentSettled], handleAll }];
  // Behind the commit: what is only applied may still be undone.
  const passed = (point: ConsumerCrashPoint): void => void (point === 'offset' && answer());
  new Subscription({ name: 'bench', topics, consumers, dataSource, transport, log: toStandardError, passed }).start();
  process.on('message', (command: { until?: number }) => {
    if (command.until === undefined) return;
    wanted = command.until;
    answer();
  });
  announce('reader:');
}

void main(process.argv.slice(2));
