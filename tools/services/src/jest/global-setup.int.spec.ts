import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { programArguments } from './of-the-run';

/** This suite names Redis and Kafka: it gets them. */
it.each(['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_KAFKA_BROKERS'])('%s names a server', async (variable) => {
  const address = process.env[variable]!.split(',')[0]!;
  const { hostname, port } = new URL(address.includes('//') ? address : `kafka://${address}`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.destroy();
});

/** It names a program.fixture too. */
it('a program is started from the file that was compiled for this run', () => {
  const command = programArguments('apps/standalone/src/main.ts');
  expect(command).toContain(process.env.TEST_PROGRAMS);
  const cwd = join(__dirname, '../../../..');
  const said = execFileSync(process.execPath, [...command, '--help'], { cwd, encoding: 'utf8' });
  expect(said).toMatch(/^Runs the whole product in one process/);
});
