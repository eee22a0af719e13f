import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION } from '../index';
import { FUNCTIONS, printed, vectorFile } from './vector-files.fixture';

// A program of its own, run by hand when a new engine version is meant to give other numbers.
const folder = join(__dirname, '../../vectors', ENGINE_VERSION);
mkdirSync(folder, { recursive: true });
for (const name of Object.keys(FUNCTIONS)) {
  writeFileSync(join(folder, `${name}.json`), printed(vectorFile(name)));
}
