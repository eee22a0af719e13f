import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { asyncApiDocument } from './async-api';

const FILE = 'docs/events/asyncapi.json';
const DOCUMENT = new Command('npm run events:document --').description(
  `Writes ${FILE}, with an example of each event, from the event classes.`,
);

startCommand(process.env, (args, _env, streams) =>
  runCommand(DOCUMENT, args, streams, (_none, { out }) => {
    writeFileSync(join(__dirname, '../../../../..', FILE), `${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
    out(`written: ${FILE}\n`);
  }),
);
