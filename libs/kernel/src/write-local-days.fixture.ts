import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDayVectors } from './local-day-vectors.fixture';

// A program of its own, run by hand when zones or moments are added.
writeFileSync(join(__dirname, '../vectors/local-days.csv'), localDayVectors());
