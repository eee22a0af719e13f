import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandLine, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { eventDocuments } from './event-documents';

const FOLDER = join(__dirname, '../../../../../docs/events');
const DOCUMENT = new CommandLine({
  call: 'npm run events:document',
  about: 'Writes docs/events from the event classes: the AsyncAPI document, and one example of each event.',
  options: {},
  read: () => ({}),
});

startCommand(process.env, (args, _env, streams) =>
  runCommand(DOCUMENT, args, streams, (_none, { out }) => {
    for (const [name, text] of eventDocuments()) {
      const file = join(FOLDER, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      out(`written: docs/events/${name}\n`);
    }
  }),
);
