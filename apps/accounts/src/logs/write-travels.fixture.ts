import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedTravels } from './travels.fixture';

// A program of its own, run by hand when zones or moments are added.
writeFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), printedTravels());
