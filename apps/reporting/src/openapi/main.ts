import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER } from '@evenkeel/contracts';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { reportingPart } from './reporting-part';

const WRITE = new CommandLine({
  call: 'npm run openapi:write',
  about: `Writes what reporting says of its routes to libs/contracts/openapi/reporting.json.

Run it after a change of routes or views; a test compares the file with the code.`,
  options: {},
  read: () => ({}),
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(WRITE, args, streams, async (_none, { out }) => {
    const file = join(OPEN_API_FOLDER, 'reporting.json');
    writeFileSync(file, `${JSON.stringify(await reportingPart(), null, 2)}\n`);
    out(`${file}\n`);
  }),
);
