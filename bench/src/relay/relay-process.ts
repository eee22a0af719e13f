import { postgresOptions } from '@evenkeel/platform/persistence';
import { openTransport, OutboxRelay } from '@evenkeel/platform/messaging';
import { announce } from '../processes/listen-locally';
import { SOURCE, toStandardError } from './sample-events';

/** The relay of a worker, from `go` to `stop`. */
function main([databaseUrl = '', brokers = '']: string[]): void {
  const transport = openTransport({ access: { brokers: [brokers] }, clientId: 'relay', log: toStandardError });
  const database = postgresOptions({ url: databaseUrl, entities: [], migrations: [] });
  let relay: OutboxRelay;
  process.on('message', (command) => {
    if (command === 'go') {
      relay = new OutboxRelay({ database, transport, source: SOURCE, log: toStandardError, keepDays: 14 });
      relay.start();
      process.send!('gone');
    } else if (command === 'stop') void relay.stop().then(() => process.send!('stopped'));
  });
  announce('relay:');
}

main(process.argv.slice(2));
