import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const PACKAGES_LOADED = `
  require('@evenkeel/platform/config');
  const names = Object.keys(require.cache).map((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
  console.log(JSON.stringify([...new Set(names)]));`;

it('the door of settings loads neither Nest nor a driver', () => {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const output = execFileSync(process.execPath, [...flags, '-e', PACKAGES_LOADED], { cwd: ROOT, encoding: 'utf8' });
  const loaded = JSON.parse(output) as string[];
  expect(loaded).toEqual(expect.arrayContaining(['class-transformer', 'class-validator']));
  expect(loaded.filter((name) => /^@nestjs|^fastify|^pg$|^typeorm|^pino|^ajv/.test(name))).toEqual([]);
}, 30_000);
