import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OPEN_API_FOLDER } from '@evenkeel/contracts';
import { reportingPart } from './reporting-part';

const HELP = `Writes what reporting says of its routes to libs/contracts/openapi/reporting.json.

Run it after a change of routes or views; a test compares the file with the code.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help) return void process.stdout.write(HELP);
  const file = join(OPEN_API_FOLDER, 'reporting.json');
  writeFileSync(file, `${JSON.stringify(await reportingPart(), null, 2)}\n`);
  process.stdout.write(`${file}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
