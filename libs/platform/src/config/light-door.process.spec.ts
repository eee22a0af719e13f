import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const packagesOf = (door: string) => `
  require('@evenkeel/platform/${door}');
  const names = Object.keys(require.cache).map((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
  console.log(JSON.stringify([...new Set(names)]));`;

it('the door of settings loads neither Nest nor a driver', () => {
  const loaded = loadedBy('config');
  expect(loaded).toEqual(expect.arrayContaining(['class-transformer', 'class-validator']));
  expect(loaded.filter((name) => /^@nestjs|^fastify|^pg$|^typeorm|^pino|^ajv/.test(name))).toEqual([]);
}, 30_000);

it('the door of services loads the client of Kafka only when it is wanted', () => {
  const loaded = loadedBy('service');
  expect(loaded).toContain('@nestjs/core');
  expect(loaded).not.toContain('kafkajs');
}, 60_000);

function loadedBy(door: string): string[] {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const output = execFileSync(process.execPath, [...flags, '-e', packagesOf(door)], { cwd: ROOT, encoding: 'utf8' });
  return JSON.parse(output) as string[];
}
