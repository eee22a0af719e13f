import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CRASH_POINTS } from '../billing.config';

const SOURCES = join(__dirname, '..');
const specs = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.process.spec.ts'))
  .map((name) => readFileSync(join(SOURCES, name), 'utf8'));

it.each(CRASH_POINTS)('a test lets the process die at %s', (point) => {
  expect(specs.filter((text) => text.includes(`'${point}'`))).not.toEqual([]);
});
