import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { WRITTEN_EDGES } from './written-edges';

for (const [file, made] of Object.entries(WRITTEN_EDGES)) {
  writeFileSync(file, made());
  process.stdout.write(`Wrote ${relative(process.cwd(), file)}.\n`);
}
