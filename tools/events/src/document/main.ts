import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventDocuments } from './event-documents';

const FOLDER = join(__dirname, '../../../../docs/events');
const HELP = `Writes docs/events from the event classes: the AsyncAPI document, and one example of each event.

Options
  --help  this text
`;

function main(): void {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help) return void process.stdout.write(HELP);

  for (const [name, text] of eventDocuments()) {
    const file = join(FOLDER, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`written: docs/events/${name}\n`);
  }
}

try {
  main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
