import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedSentences } from './printed-sentences.fixture';

// A program of its own, run by hand when a sentence is meant to change.
writeFileSync(join(__dirname, 'sentences.md'), printedSentences());
