import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION } from '../index';
import { FUNCTIONS, printed, type VectorFile } from './vector-files.fixture';

// A program of its own, run by hand when a new engine version is meant to give other numbers: it computes the newest vectors again.
const VECTORS = join(__dirname, '../../vectors');
const versions = readdirSync(VECTORS).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
const newest = versions.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1)!;
mkdirSync(join(VECTORS, ENGINE_VERSION), { recursive: true });
for (const [name, run] of Object.entries(FUNCTIONS)) {
  const { vectors } = JSON.parse(readFileSync(join(VECTORS, newest, `${name}.json`), 'utf8')) as VectorFile;
  const again = vectors.map(({ name: vector, input }) => ({ name: vector, input, output: run(input as never) }));
  writeFileSync(
    join(VECTORS, ENGINE_VERSION, `${name}.json`),
    printed({ engine_version: ENGINE_VERSION, function: name, vectors: again }),
  );
}
