import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTIONS, printed, vectorFile } from './vector-files.fixture';

// A program of its own, run by hand when a new engine version is meant to give other numbers.
for (const name of Object.keys(FUNCTIONS)) {
  writeFileSync(join(__dirname, '../../vectors', `${name}.json`), printed(vectorFile(name)));
}
