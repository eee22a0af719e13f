import { once } from 'node:events';
import { connect } from 'node:net';

/** This suite names Redis and Kafka: it gets them. */
it.each(['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_KAFKA_BROKERS'])('%s names a server', async (variable) => {
  const address = process.env[variable]!.split(',')[0]!;
  const { hostname, port } = new URL(address.includes('//') ? address : `kafka://${address}`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.destroy();
});
