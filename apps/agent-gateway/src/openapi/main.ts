import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OPEN_API_FOLDER } from '@evenkeel/contracts';
import { samplePart } from './gateway-part';

const HELP = `Writes what the agent gateway says of its routes to libs/contracts/openapi/agent-gateway.json.

Run it after a change of routes, shapes or prices; a test compares the file with the code.
`;

const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
if (values.help) {
  process.stdout.write(HELP);
} else {
  mkdirSync(OPEN_API_FOLDER, { recursive: true });
  const file = join(OPEN_API_FOLDER, 'agent-gateway.json');
  writeFileSync(file, `${JSON.stringify(samplePart(), null, 2)}\n`);
  process.stdout.write(`${file}\n`);
}
