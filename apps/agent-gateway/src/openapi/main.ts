import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER } from '@evenkeel/contracts';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { samplePart } from './gateway-part';

const OPENAPI_WRITE = new CommandLine({
  call: 'npm run openapi:write',
  about: `Writes what the agent gateway says of its routes to libs/contracts/openapi/agent-gateway.json.

Run it after a change of routes, shapes or prices; a test compares the file with the code.`,
  options: {},
  read: () => null,
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(OPENAPI_WRITE, args, streams, (_wanted, { out }) => {
    mkdirSync(OPEN_API_FOLDER, { recursive: true });
    const file = join(OPEN_API_FOLDER, 'agent-gateway.json');
    writeFileSync(file, `${JSON.stringify(samplePart(), null, 2)}\n`);
    out(`${file}\n`);
  }),
);
