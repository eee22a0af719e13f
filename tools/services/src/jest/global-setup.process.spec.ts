import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
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
  expect(help(command)).toMatch(/^Runs the whole product in one process/);
});

it('what the engine made of that file is used: a program that could not use it would have written another', () => {
  const kept = process.env.TEST_PROGRAMS!.replace(/js$/, `${cachedDataVersionTag().toString(16)}.cache`);
  const before = statSync(kept);
  help(programArguments('apps/standalone/src/main.ts'));
  expect(statSync(kept).ino).toBe(before.ino);
});

function help(command: string[]): string {
  const cwd = join(__dirname, '../../../..');
  return execFileSync(process.execPath, [...command, '--help'], { cwd, encoding: 'utf8' });
}
